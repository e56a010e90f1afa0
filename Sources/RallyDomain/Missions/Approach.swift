import FoundationEssentials
import RallySystem
import RallyText
import RallyWire

/// Where somebody was at a moment.
public struct TimedPlace: Hashable, Sendable {
  public var coordinate: Coordinate
  public var at: WireTime

  public init(_ coordinate: Coordinate, at time: WireTime) {
    self.coordinate = coordinate
    at = time
  }
}

/// How far somebody is from a place along the straight line, and how long that takes at the pace of
/// the last minutes. No street is looked at.
public struct Approach: Hashable, Sendable {
  public enum Pace: Hashable, Sendable {
    /// Minutes, at the faster and at the slower of what was measured; at least 1, from an hour on in
    /// steps of 5, from three hours on of 15.
    case minutes(ClosedRange<Int>)
    case notMoving
    /// They do not come nearer, or nothing is known of it.
    case unknown
  }

  /// Metres.
  public let distance: Double
  /// The radius around the known position within which they are, metres.
  public let uncertainty: Double
  public let pace: Pace

  /// What is older does not tell how fast somebody is.
  static let window = Duration.seconds(600)
  /// Below this a receiver cannot tell walking from standing, metres a second.
  private static let slowest = 0.3
  /// Longer times say nothing.
  private static let longestMinutes = 600.0

  /// - Parameters:
  ///   - track: Where they were lately, the newest last; may be empty.
  ///   - now: A position that is older than ten minutes has no pace.
  /// - Returns: nil where the position names no place.
  public init?(
    of position: LocationRecord, to place: Coordinate, track: [TimedPlace], at now: WireTime
  ) {
    guard let here = position.coordinate else { return nil }
    let distance = here.distance(to: place)
    self.distance = distance
    uncertainty = position.precision.uncertaintyMetres(position.accuracyMetres)
    guard position.precision == .precise, now.since(position.recordedAt) < Self.window else {
      pace = .unknown
      return
    }
    pace = Self.pace(
      over: distance, to: place, track: track.filter { now.since($0.at) < Self.window },
      measured: position.speed)
  }

  private static func pace(
    over distance: Double, to place: Coordinate, track: [TimedPlace], measured: Double?
  ) -> Pace {
    guard let first = track.first, let last = track.last,
      last.at.since(first.at) >= .seconds(60)
    else {
      guard let measured else { return .unknown }
      return measured < slowest ? .notMoving : minutes(distance, at: [measured])
    }
    let moved = track.map { $0.coordinate.distance(to: last.coordinate) }.max() ?? 0
    if moved / (last.at.since(first.at) / .seconds(1)) < slowest { return .notMoving }
    // All of it, and its second half: between the two lies what is known.
    let halves = [first, track[track.count / 2]].compactMap { from -> Double? in
      let seconds = last.at.since(from.at) / .seconds(1)
      guard seconds >= 30 else { return nil }
      return (from.coordinate.distance(to: place) - last.coordinate.distance(to: place)) / seconds
    }
    return minutes(distance, at: halves)
  }

  private static func minutes(_ distance: Double, at speeds: [Double]) -> Pace {
    guard let slow = speeds.min(), let fast = speeds.max(), slow >= slowest,
      distance / slow / 60 <= longestMinutes
    else { return .unknown }
    // Beyond an hour no pace holds to the minute.
    func minutes(_ speed: Double, _ rule: FloatingPointRoundingRule) -> Int {
      let minutes = distance / speed / 60
      guard minutes >= 60 else { return max(1, Int(minutes.rounded())) }
      let step = minutes < 180 ? 5.0 : 15
      return Int((minutes / step).rounded(rule) * step)
    }
    return .minutes(minutes(fast, .down)...minutes(slow, .up))
  }

  /// `14 min`, `12–16 min`, `3 h 15–30 min`, `3 h 45 min–4 h`.
  private static func text(_ minutes: ClosedRange<Int>) -> String {
    let (least, most) = (minutes.lowerBound, minutes.upperBound)
    if least == most { return most.minutesText }
    if least / 60 == most / 60, least % 60 > 0 {
      return least.minutesText.dropLast(" min".count) + "–\((most % 60).minutesText)"
    }
    return "\(least.minutesText)–\(most.minutesText)"
  }

  /// `1.2 km · 14 min at this pace`, `1.2 km · 12–16 min at this pace`,
  /// `14.6 km · 3 h 15–30 min at this pace`, `300 m · not moving`.
  public var words: [String] {
    let way = GeoText.distance(distance, uncertainty: uncertainty)
    switch pace {
    case .minutes(let range):
      return [way, "\(Self.text(range)) at this pace"]
    case .notMoving: return [way, "not moving"]
    case .unknown: return [way]
    }
  }
}
