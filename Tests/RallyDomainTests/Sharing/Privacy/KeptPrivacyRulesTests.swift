import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct KeptPrivacyRulesTests {
  private func zone(_ name: String, _ allows: PrivacyZone.Allowance = .nothing) -> PrivacyZone {
    PrivacyZone(name: name, centre: Samples.lisbon, radiusMetres: 450, allows: allows)
  }

  private func hours(_ name: String, _ when: String...) throws -> SharingHours {
    try SharingHours(name, typed: when)
  }

  private func limit(_ kept: KeptPrivacyRules, at time: WireTime = Samples.time) -> PrivacyLimit {
    kept.limit(at: Samples.lisbon, accuracyMetres: 5, now: time)
  }

  @Test func `of this machine's rules and the account's the stricter count`() throws {
    var kept = KeptPrivacyRules()
    #expect(kept.isEmpty && limit(kept) == .none)
    kept.set(zone("town", .city), at: Samples.time)
    #expect(limit(kept).mode == .approximate10km)
    var account = PrivacyRules()
    account.zones = [zone("home")]
    kept.take(account: account, at: Samples.time)
    #expect(limit(kept) == PrivacyLimit(mode: .off, reason: .zone("home")))
    // What is added now goes to the account.
    kept.set(zone("office"), at: Samples.time)
    #expect(kept.account?.zones.map(\.name) == ["home", "office"])
    #expect(kept.own.zones.map(\.name) == ["town"])
    kept.removeZone("home", at: Samples.time)
    kept.removeZone("office", at: Samples.time)
    #expect(limit(kept).mode == .approximate10km)
  }

  @Test func `hours of both must be open, and the opening is when both are`() throws {
    var kept = KeptPrivacyRules()
    kept.set(try hours("early", "6-12"), timeZone: "UTC")
    var account = PrivacyRules()
    account.hours = [try hours("late", "10-20")]
    kept.take(account: account, at: Samples.time)
    func isOpen(_ text: String) throws -> Bool { kept.isOpen(at: try #require(WireTime(text))) }
    #expect(try !isOpen("2026-03-02T08:00:00Z"))
    #expect(try isOpen("2026-03-02T11:00:00Z"))
    #expect(try !isOpen("2026-03-02T12:00:00Z"))
    let noon = try #require(WireTime("2026-03-02T12:30:00Z"))
    #expect(kept.opening(after: noon) == "Tue 10:00")
    #expect(kept.opening(after: try #require(WireTime("2026-03-02T11:00:00Z"))) == nil)
    kept.own.hours = [try hours("never", "8-9")]
    #expect(kept.opening(after: noon) == nil)
  }

  @Test func `all moves to the account and back, and no zone is lost on the way`() throws {
    var kept = KeptPrivacyRules()
    kept.set(zone("home"), at: Samples.time)
    kept.set(try hours("work", "mon-fri", "9-18"), timeZone: "Europe/Lisbon")
    let own = kept.own
    kept.needsWithdrawal = false
    try kept.moveToAccount(at: Samples.time)
    #expect(kept.own.isEmpty && kept.account == own)
    // What a phone reported before lies in the zones, maybe.
    #expect(kept.needsWithdrawal)
    try kept.moveHere(at: Samples.time)
    #expect(kept.own == own && kept.account == nil)
    // Another machine ended it: here the rules go on.
    try kept.moveToAccount(at: Samples.time)
    kept.take(account: nil, at: Samples.time)
    #expect(kept.own == own && kept.account == nil)
    // A name that both have.
    var account = PrivacyRules()
    account.zones = [zone("home", .city)]
    kept.take(account: account, at: Samples.time)
    try kept.moveToAccount(at: Samples.time)
    #expect(kept.account?.zones.map(\.name) == ["home", "home-2"])
    #expect(limit(kept).mode == .off)
    // One list of hours would let leave what either does.
    var both = kept
    both.own.hours = [try hours("night", "22-6")]
    #expect(throws: FieldProblem.self) { try both.moveToAccount(at: Samples.time) }
    #expect(throws: FieldProblem.self) { try both.moveHere(at: Samples.time) }
  }
}
