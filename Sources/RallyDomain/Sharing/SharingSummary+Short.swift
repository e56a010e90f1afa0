import RallyWire

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
