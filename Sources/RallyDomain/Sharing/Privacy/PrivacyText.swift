import RallySystem
import RallyWire

extension PrivacyRulesService {
  /// What is held back of where this device is, for the status bar: `held back in home`, `only the
  /// city in home`, `held back until Mon 09:00`. Nil while nothing is.
  public func note(of provider: CurrentLocationProvider) -> String? {
    let limit = limit(of: provider)
    return limit.reason.map { reason in
      switch reason {
      case .zone(let name):
        limit.mode == .off ? "held back in \(name)" : "only the city in \(name)"
      case .hours: opening.map { "held back until \($0)" } ?? "held back"
      case .unreadable: "held back, zones unreadable"
      }
    }
  }

  /// Why a check-in would reveal what is held back, and what to do; nil if it may be sent.
  ///
  /// - Parameter removal: The command that removes a zone of this name.
  public func checkInRefusal(
    at place: Coordinate, accuracyMetres: Double?,
    removal: (String) -> String = { ":zone off \($0)" }
  ) -> String? {
    limit(at: place, accuracyMetres: accuracyMetres).reason.map { reason in
      switch reason {
      case .zone(let name):
        "A check-in tells exactly where you are, and you are in your zone \(name). "
          + "Check in outside of it, or remove it first: \(removal(name))"
      case .hours:
        "A check-in tells where you are, and it is outside of your sharing hours"
          + "\(opening.map { ", which begin \($0)" } ?? "")."
      case .unreadable: "Your zones cannot be read, so nothing leaves this machine."
      }
    }
  }
}

/// What was changed, for people.
public enum PrivacyChangeText {
  public static func zoneRemoved(_ name: String) -> String {
    "The zone \(name.lowercased()) is removed."
  }

  /// - Parameter timeZone: The zone of the hours where it is said too.
  public static func hoursAdded(_ hours: SharingHours, timeZone: String? = nil) -> String {
    let zone = timeZone.map { " (\($0))" } ?? ""
    return "\(hours.name): your position is shared \(hours.sentence)\(zone) only."
  }

  public static func hoursRemoved(_ name: String) -> String {
    "The hours \(name.lowercased()) are removed."
  }

  public static func kept(withAccount: Bool) -> String {
    withAccount
      ? "Your zones and hours are kept with your account and hold for phones too."
      : "Your zones and hours are kept on this machine only and hold for no phone."
  }
}

extension PrivacyZone {
  /// `nothing leaves within 300 m`, `only the city leaves within 2 km`.
  public var sentence: String {
    "\(allows == .nothing ? "nothing leaves" : "only the city leaves") within "
      + RadiusText.text(protectedDistance.rounded())
  }
}

extension SharingSummary {
  /// The sentence, which claims no more than leaves this machine.
  ///
  /// - Parameter note: What is held back; nil for nothing.
  public func sentence(heldBack note: String?) -> String {
    guard let note, ghost == nil, sharedCount > 0 else { return sentence }
    return "shared with \(sharedCount) · \(note)"
  }
}
