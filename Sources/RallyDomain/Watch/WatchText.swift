import RallyText
import RallyWire

/// What is said of links to watch.
public enum WatchText {
  /// `a link until 18:00`, `a link until 18:00, 3 watch`, `2 links until 18:00`; nil without one.
  ///
  /// - Parameter links: Of several the last end counts.
  public static func sentence(
    _ links: [WatchLinkRecord], at now: WireTime, timeZone: LocalTimeZone = .current
  ) -> String? {
    let links = links.filter { now < $0.until }
    guard let last = links.map(\.until).max() else { return nil }
    let end = WhenText(timeZone: timeZone, now: now).words(of: last)
    let watchers = links.reduce(0) { $0 + $1.watchers }
    let words = links.count == 1 ? "a link until \(end)" : "\(links.count) links until \(end)"
    return watchers == 0 ? words : "\(words), \(watchers) \(watchers == 1 ? "watches" : "watch")"
  }
}
