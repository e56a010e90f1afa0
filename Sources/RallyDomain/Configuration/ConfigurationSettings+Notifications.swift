import RallyTOML
import RallyText
import RallyWire

extension ConfigurationSetting {
  static let notificationsSummary =
    "What you are told while you look elsewhere. Nothing is told that the screen shows itself, and "
    + "nothing from before the start; rally notify --test shows what your terminal makes of it."

  static let notifications = [
    word(
      "notifications", "way",
      "How a notification leaves Rally: auto takes the desktop where its bus is reached, else what the "
        + "terminal is known to understand, else its bell.", \.notifications.way),
    word(
      "notifications", "requests",
      "For friend requests, for those who accepted yours, and for friends who ask where you are or "
        + "begin to show you where they are, and for alerts (:tell): a message, the bell alone, or "
        + "nothing.",
      \.notifications.requests),
    word(
      "notifications", "messages", "For what others say in missions of yours.",
      \.notifications.messages),
    word(
      "notifications", "missions",
      "For invitations to missions, for who arrives at one, and for their completion.",
      \.notifications.missions),
    quiet, mute,
  ]

  private static let quiet = ConfigurationSetting(
    section: "notifications", key: "quiet",
    summary: "Hours without any notification, by the clock of this machine; the empty text is "
      + "none.",
    values: "two times like \"22:00-07:00\"", isLive: true
  ) { value, _, configuration in
    guard let text = value.text else {
      return "Write quiet as text: two times like \"22:00-07:00\"."
    }
    if text.isEmpty {
      configuration.notifications.quiet = nil
      return nil
    }
    guard let quiet = QuietHours(text) else {
      return "Set quiet to two different times of 24 hours, like \"22:00-07:00\"."
    }
    configuration.notifications.quiet = quiet
    return nil
  } write: {
    TOMLValue.literal($0.notifications.quiet?.description ?? "")
  }

  private static let mute = ConfigurationSetting(
    section: "notifications", key: "mute",
    summary: "People of whom you are told nothing; they do not learn of it.",
    values: "a list of usernames, like [\"kenji\"]", isLive: true
  ) { value, _, configuration in
    let advice = "Write mute as a list of usernames, like [\"kenji\"]."
    guard case .list(let values) = value else { return advice }
    var muted: [Username] = []
    for value in values {
      guard let text = value.text else { return advice }
      do throws(FieldProblem) {
        let name = try Username(text)
        if !muted.contains(name) { muted.append(name) }
      } catch {
        return "“\(text.cleanedForDisplay)” is no username. \(error.advice)"
      }
    }
    configuration.notifications.muted = muted
    return nil
  } write: { configuration in
    let names = configuration.notifications.muted.map { TOMLValue.literal($0.value) }
    return "[\(names.joined(separator: ", "))]"
  }
}
