import FoundationEssentials
import RallyWire

/// What answering a friend's question where I am does with one key.
public struct LocationAnswer: Hashable, Sendable {
  /// How long an answer is shared.
  public static let duration = Duration.seconds(3600)

  /// What is shared with the friend; nil where they see something of me already.
  public let setting: SharingSetting?
  /// What else it means, a sentence each, to be said before it is done.
  public let caveats: [String]

  /// What is shared with a friend for the answer: what everybody sees, but no more than about 1 km,
  /// since precisely is shared only by choice. Nil where the friend sees something already.
  public static func setting(
    for friend: UUID, sharing: SharingTable, at now: WireTime
  ) -> SharingSetting? {
    guard sharing.mode(for: friend, at: now) == .off else { return nil }
    let general = sharing.general(at: now).mode
    return SharingSetting(
      general == .off ? .approximate1km : min(general, .approximate1km),
      until: now.advanced(by: duration))
  }

  /// That an answer does not move what zones and hours hold back.
  public static func caveat(_ heldBack: String) -> String {
    "By your zones and hours where you are now is \(heldBack)."
  }

  /// - Parameters:
  ///   - hasPosition: Whether anything is known of where I am.
  ///   - heldBack: What zones and hours hold back now, as `PrivacyRulesService.note` says it.
  ///   - now: When it is answered.
  init(
    to friend: UUID, sharing: SharingTable, ghost: GhostPhase?, hasPosition: Bool,
    heldBack: String? = nil, at now: WireTime
  ) {
    let general = sharing.general(at: now).mode
    var caveats: [String] = []
    setting = Self.setting(for: friend, sharing: sharing, at: now)
    if setting != nil, ghost != nil {
      caveats.append(
        "You are a ghost. That ends, and what else you shared is off then.")
    } else if setting != nil, general > .off {
      caveats.append("After an hour they see what everybody sees: \(general.title).")
    }
    if !hasPosition {
      caveats.append(
        "Where you are is not known: they see it once you say it, as with :here Lisbon.")
    }
    if let heldBack { caveats.append(Self.caveat(heldBack)) }
    self.caveats = caveats
  }
}

extension LocationSharingStore {
  /// What answering this friend's question does now; nil before the sharing is known.
  public func answer(to friendID: UUID) -> LocationAnswer? {
    sharing.map {
      LocationAnswer(
        to: friendID, sharing: $0, ghost: ghostPhase,
        hasPosition: currentLocationProvider.fix != nil || $0.mostExactLocation != nil,
        heldBack: privacyRules.note(of: currentLocationProvider), at: now())
    }
  }
}
