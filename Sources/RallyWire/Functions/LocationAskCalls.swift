import FoundationEssentials

/// The questions that wait for the caller's answer, and those that the caller asked; the newest
/// first.
public struct FetchLocationAsks: RemoteFunction {
  public typealias Output = [LocationAskRecord]
  public static let name = "fetch_location_asks"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}
