import FoundationEssentials

// What features keep of an account.

extension DraftKeeper: AccountFile {}
extension CurrentLocationProvider: AccountFile {}
extension PrivacyRulesService: AccountFile {}

extension EditorService: AccountFile {
  public func forget(userID: UUID) throws { try forget() }
}

extension InterfaceMemory: AccountFile {
  public func forget(userID: UUID) async throws { try await forget() }
}
