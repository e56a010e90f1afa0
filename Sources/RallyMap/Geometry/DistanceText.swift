import Foundation

/// A distance in few words: "90 m", "1.4 km", "5400 km".
public struct DistanceText: CustomStringConvertible, Hashable, Sendable {
  public let description: String

  /// - Parameter metres: Metres to 10 m from 100 m on, kilometres with a digit below 10. What is no distance is "?".
  public init(metres: Double) {
    if !metres.isFinite || metres < 0 {
      description = "?"
    } else if metres < 99.5 {
      description = "\(Int(metres.rounded())) m"
    } else if metres < 995 {
      description = "\(Int((metres / 10).rounded()) * 10) m"
    } else if metres < 9950 {
      let tenths = Int((metres / 100).rounded())
      description = tenths % 10 == 0 ? "\(tenths / 10) km" : "\(tenths / 10).\(tenths % 10) km"
    } else if metres < 99_500 {
      description = "\(Int((metres / 1000).rounded())) km"
    } else {
      description = "\(Int((metres / 10_000).rounded()) * 10) km"
    }
  }
}
