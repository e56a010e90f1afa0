import RallySystem
import RallyWire

/// How many friends can see my position, for the status bar. Never counts fewer than the server may
/// still show.
public struct SharingSummary: Hashable, Sendable {
  /// Friends who can see a position of any precision.
  public var sharedCount: Int
  /// Those of them who can see the precise position.
  public var preciseCount: Int
  /// People who see me on the way to a mission; they are among the others.
  public var followerCount: Int
  /// The state of ghost mode; nil if it is off.
  public var ghost: GhostPhase?

  public init(
    sharedCount: Int, preciseCount: Int, followerCount: Int = 0, ghost: GhostPhase? = nil
  ) {
    self.sharedCount = sharedCount
    self.preciseCount = preciseCount
    self.followerCount = followerCount
    self.ghost = ghost
  }

  /// The maximum of what the server may still show and what it is about to show.
  init(agreed: SharingSummary, wanted: SharingSummary, ghost: GhostPhase?) {
    self.init(
      sharedCount: max(agreed.sharedCount, wanted.sharedCount),
      preciseCount: max(agreed.preciseCount, wanted.preciseCount),
      followerCount: max(agreed.followerCount, wanted.followerCount), ghost: ghost)
  }

  /// `shared with 7 · 2 precise`, `on the way · 3 see you · shared with 7`, `sharing with nobody`,
  /// `ghost`, or `ghost pending · still shared with 7`.
  public var sentence: String {
    if ghost == nil, followerCount > 0 {
      let way = "on the way · \(followerCount) \(followerCount == 1 ? "sees" : "see") you"
      return sharedCount > followerCount ? "\(way) · shared with \(sharedCount)" : way
    }
    let shared =
      preciseCount > 0
      ? "shared with \(sharedCount) · \(preciseCount) precise" : "shared with \(sharedCount)"
    return switch (ghost, sharedCount) {
    case (.pending, 0): "ghost pending"
    case (.pending, _): "ghost pending · still shared with \(sharedCount)"
    case (.gone, 0): "ghost"
    case (nil, 0): "sharing with nobody"
    default: shared
    }
  }
}

/// The state of ghost mode, in which no friend sees a position.
public enum GhostPhase: String, Hashable, Sendable, Codable {
  /// Requested, but not confirmed by the server: friends may still see me.
  case pending
  /// Confirmed: the server shows nobody a position.
  case gone
}

extension SharingSummary {
  /// The sentence in ten cells: `2 precise`, `7 see you`, `on way · 3`, `unseen`, `ghost`, or
  /// `ghost…` while it is pending.
  public var short: String {
    switch (ghost, sharedCount) {
    case (.pending, _): "ghost…"
    case (.gone, 0): "ghost"
    case (nil, _) where followerCount > 0: "on way · \(followerCount)"
    case (_, 0): "unseen"
    case (_, _) where preciseCount > 0: "\(preciseCount) precise"
    default: "\(sharedCount) \(sharedCount == 1 ? "sees" : "see") you"
    }
  }
}

extension LocationSharingStore {
  /// Who sees what of me, for the status bar. "unconfirmed" comes first, since a narrow terminal
  /// cuts the rest.
  public var sharingSentence: String {
    guard let summary else { return "sharing not known yet" }
    let shared = summary.sentence(heldBack: privacyRules.note(of: currentLocationProvider))
    // First, since a narrow terminal cuts the rest, and no list of friends shows it.
    let sentence = [WatchText.sentence(links, at: now()), shared].compactMap(\.self)
      .joined(separator: " · ")
    return isUnconfirmed ? "unconfirmed: \(sentence)" : sentence
  }

  /// Whether my zones or hours let less leave than friends may see.
  public var isHeldBack: Bool {
    privacyRules.limit(of: currentLocationProvider).mode < .precise
  }

  /// Who sees what of me in at most eleven cells, for where the sentence has no room.
  public var sharingShort: String {
    guard let summary else { return "…" }
    let limit = privacyRules.limit(of: currentLocationProvider)
    let isHeld = limit.reason != nil && summary.ghost == nil && summary.sharedCount > 0
    var short = isHeld ? limit.mode == .off ? "held back" : "city only" : summary.short
    if !links.isEmpty, summary.ghost == nil {
      short = summary.sharedCount == 0 ? "a link" : "link · \(summary.sharedCount)"
    }
    return isUnconfirmed ? "\(short)?" : short
  }
}
