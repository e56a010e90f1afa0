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
    let words = sentence(ends: links.map(\.until), at: now, timeZone: timeZone)
    let watchers = links.reduce(0) { $0 + $1.watchers }
    return watchers == 0
      ? words : words.map { "\($0), \(watchers) \(watchers == 1 ? "watches" : "watch")" }
  }

  /// The same without how many watch.
  static func sentence(ends: [WireTime], at now: WireTime, timeZone: LocalTimeZone) -> String? {
    let ends = ends.filter { now < $0 }
    guard let last = ends.max() else { return nil }
    let end = WhenText(timeZone: timeZone, now: now).words(of: last)
    return ends.count == 1 ? "a link until \(end)" : "\(ends.count) links until \(end)"
  }

  /// `The link has ended: it shows nothing any more.`, after an intent that ended so many.
  public static func ended(_ count: Int) -> String {
    switch count {
    case 0: "No link shows you."
    case 1: "The link has ended: it shows nothing any more."
    default: "\(count) links have ended: they show nothing any more."
    }
  }
}
