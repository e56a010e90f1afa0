import FoundationEssentials

/// Asks a friend where they are.
///
/// The answer is the same whatever becomes of it: whoever asks learns nothing but what is shared.
public struct AskLocation: PersonMutation {
  public static let name = "ask_location"
  public typealias CodingKeys = PersonMutationKeys

  @WireID public var userID: UUID
  public var clientID: WireID?

  public init(userID: UUID, clientID: UUID? = nil) {
    self.userID = userID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

/// Closes a friend's question where the caller is, which the friend does not learn. Sharing
/// something with the friend closes it too.
public struct CloseLocationAsk: PersonMutation {
  public static let name = "close_location_ask"
  public typealias CodingKeys = PersonMutationKeys

  /// Who asked.
  @WireID public var userID: UUID
  public var clientID: WireID?

  public init(userID: UUID, clientID: UUID? = nil) {
    self.userID = userID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

/// The questions that wait for the caller's answer, and those that the caller asked; the newest
/// first.
public struct FetchLocationAsks: RemoteFunction {
  public typealias Output = [LocationAskRecord]
  public static let name = "fetch_location_asks"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}
