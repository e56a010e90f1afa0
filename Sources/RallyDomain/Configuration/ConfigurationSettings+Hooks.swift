import RallyTOML
import RallyText

extension ConfigurationSetting {
  static let hooksSummary =
    "Programs that the open interface runs when others do something: a list of the program and its "
    + "arguments, without a shell. The event comes as a line of JSON on standard input. A program "
    + "has ten seconds; its end stands in the log. Quiet hours do not hold for hooks, muted people "
    + "do. Over SSH at a Rally host there are none."

  static let hooks = [
    hook(
      .request,
      "For friend requests, for those who accepted yours, and for friends who ask where you are."),
    hook(
      .arrival,
      "For friends who begin to show you where they are, or show more of it, for alerts (:tell), and "
        + "for who arrives at a mission."
    ),
    hook(.message, "For what others say in missions of yours."),
    hook(.mission, "For invitations to missions, and for their completion."),
    hook(.policy, "For a change of the policy level, at every level."),
  ]

  /// The most words of a command, and bytes of each.
  private static let (longestCommand, longestWord) = (64, 4096)

  private static func hook(_ hook: Hook, _ summary: String) -> ConfigurationSetting {
    ConfigurationSetting(
      section: "hooks", key: hook.key, summary: summary,
      values: "a list like [\"notify-send\", \"Rally\"], or [] for none", isLive: true
    ) { value, _, configuration in
      let advice =
        "Write \(hook.key) as a list of a program and its arguments, like"
        + " [\"notify-send\", \"Rally\"]."
      guard case .list(let values) = value else { return advice }
      let words = values.compactMap(\.text)
      guard words.count == values.count, words.count <= longestCommand,
        words.allSatisfy({ $0.utf8.count <= longestWord && !$0.contains("\0") }),
        words.first?.isEmpty != true
      else { return advice }
      configuration.hooks[hook] = words.isEmpty ? nil : words
      return nil
    } write: { configuration in
      "[\((configuration.hooks[hook] ?? []).map(TOMLValue.literal).joined(separator: ", "))]"
    }
  }
}
