import Foundation
import RallyDomain
import RallyWire

enum MissionWords {
  static func span(_ duration: Duration) -> String {
    let minutes = max(0, duration.components.seconds) / 60
    let (hours, rest) = (minutes / 60, minutes % 60)
    switch hours {
    case 0: return minutes == 0 ? "<1m" : "\(minutes)m"
    case ..<10: return rest == 0 ? "\(hours)h" : "\(hours)h\(rest < 10 ? "0" : "")\(rest)"
    case ..<48: return "\(hours)h"
    default: return "\(hours / 24)d"
    }
  }
  static func timeSentence(_ mission: Mission, at now: WireTime) -> String {
    switch mission.phase(at: now) {
    case .upcoming: "starts in \(span(mission.startsAt.since(now)))"
    case .active: mission.endsAt.map { "ends in \(span($0.since(now)))" } ?? "no end"
    case .completed: "completed"
    case .cancelled: "cancelled"
    case .ended: "ended"
    }
  }
  static func progress(_ mission: Mission) -> String {
    let progress = mission.record.progress
    return progress.of == 0 ? "" : "\(progress.done)/\(progress.of)"
  }
  static func way(from position: Coordinate?, to place: Coordinate) -> String? {
    guard let position else { return nil }
    let words = GeoText.distance(position.distance(to: place))
    guard words != "here", let bearing = position.bearing(to: place) else { return words }
    return "\(words) \(GeoText.compass(bearing))"
  }
  static func activity(_ line: MissionActivityRecord, me: UUID?) -> (who: String, what: String) {
    let isMe = line.userID != nil && line.userID?.wrappedValue == me
    let who = isMe ? "you" : line.username?.cleanedForDisplay ?? "somebody"
    let what: String =
      switch line.kind {
      case .created: " started it"
      case .joined: " joined"
      case .left: " left"
      case .checkedIn: " checked in at \(line.objectiveTitle?.cleanedForDisplay ?? "an objective")"
      case .completed: " completed it"
      case .cancelled: " cancelled it"
      case .said: ": \(line.text?.cleanedForDisplay ?? "")"
      }
    return (who, what)
  }
}
