import Logging
import RallySystem
import RallyWire

// MARK: - Changing the Rules

extension PrivacyRulesService {
  /// What a change led to.
  public struct Change: Hashable, Sendable {
    /// That something did not reach the account, or the disk; nil for nothing.
    public var warning: String?
    /// Whether it holds after the end of this program: with the account, or in the file of this
    /// machine. Otherwise a program that ends at once has failed.
    public var isKept = true
  }

  private typealias Edit = @MainActor (inout KeptPrivacyRules) throws(FieldProblem) -> Void

  /// Makes a zone around a place, or makes the one of this name anew.
  ///
  /// - What: Holds at once, also while the server is not reached.
  /// - How: Added to the account's rules if it keeps any. A circle of the last year that has the
  ///   place in its middle third is taken again, whatever its zone was called.
  /// - Parameter distance: Metres around the place, in `PrivacyZone.distances`.
  /// - Throws: `FieldProblem` for a place that is known less exactly than the distance, and for too
  ///   many zones; nothing was changed then.
  public func addZone(
    _ name: String, around place: Coordinate, accuracyMetres: Double?, distance: Double,
    allows: PrivacyZone.Allowance
  ) async throws(FieldProblem) -> Change {
    log.info("addZone")
    if let accuracyMetres, accuracyMetres > distance {
      throw FieldProblem(
        field: .place,
        advice: "That place is known to \(GeoText.distance(accuracyMetres)) only: give an exact "
          + "place, or a zone larger than that.")
    }
    let name = try PrivacyRules.checkedName(name)
    let now = now()
    var generator = SystemRandomNumberGenerator()
    let fresh = PrivacyZone(
      name: name, around: place, distance: distance, allows: allows, using: &generator)
    return try await change { kept in
      kept.set(fresh.reusing(kept.circles(for: name, at: now), around: place), at: now)
    }
  }

  /// - Throws: `FieldProblem` if there is none of this name.
  public func removeZone(_ name: String) async throws(FieldProblem) -> Change {
    log.info("removeZone")
    let now = now()
    return try await change(isStricter: false) { kept throws(FieldProblem) in
      guard kept.zones.contains(where: { $0.name == name.lowercased() }) else {
        throw FieldProblem(field: .text, advice: "You have no zone called \(name).")
      }
      kept.removeZone(name.lowercased(), at: now)
    }
  }

  /// Adds hours in which a position may leave.
  ///
  /// - Parameter timeZone: Whose clock the first hours follow; later ones follow the same.
  /// - Throws: `FieldProblem` if there are too many.
  public func addHours(
    _ hours: SharingHours, timeZone: LocalTimeZone = .current
  ) async throws(FieldProblem) -> Change {
    log.info("addHours")
    return try await change { $0.set(hours, timeZone: timeZone.identifier) }
  }

  /// - Throws: `FieldProblem` if there are none of this name.
  public func removeHours(_ name: String) async throws(FieldProblem) -> Change {
    log.info("removeHours")
    return try await change(isStricter: false) { kept throws(FieldProblem) in
      guard kept.hours.contains(where: { $0.name == name.lowercased() }) else {
        throw FieldProblem(field: .text, advice: "You have no hours called \(name).")
      }
      kept.removeHours(name.lowercased())
    }
  }

  /// Keeps all zones and hours with the account, or on this machine only.
  ///
  /// - Throws: `FieldProblem` with what to do; nothing was changed then.
  public func keep(withAccount: Bool) async throws(FieldProblem) -> Change {
    log.info("keep — with the account: \(withAccount)")
    let now = now()
    return try await change(isStricter: false) { kept throws(FieldProblem) in
      if withAccount { try kept.moveToAccount(at: now) } else { try kept.moveHere(at: now) }
    }
  }

  /// Notes that what the server has of my position was compared with the zones.
  ///
  /// - Parameter epoch: Of the rules before it was fetched; a later change needs another look.
  public func withdrawalDone(at epoch: Int) async {
    await turns.run { [self] in
      guard kept.needsWithdrawal, epoch == self.epoch else { return }
      kept.needsWithdrawal = false
      do {
        try await save()
      } catch {
        log.error("withdrawalDone — not kept: \(error.logLabel)")
      }
    }
  }

  /// Applies a change to the newest rules, one after the other, here and with the account.
  ///
  /// - Parameter isStricter: It holds here before the account is asked, and also where that fails;
  ///   otherwise it fails then.
  private func change(
    isStricter: Bool = true, _ edit: @escaping Edit
  ) async throws(FieldProblem) -> Change {
    try await turns.run { () throws(FieldProblem) in
      let change = try await self.apply(edit, isStricter: isStricter)
      self.log.info("change — kept: \(change.isKept), with a warning: \(change.warning != nil)")
      return change
    }
  }

  private func apply(_ edit: Edit, isStricter: Bool) async throws(FieldProblem) -> Change {
    await read()
    try requireReadable()
    let before = kept
    var changed = try before.edited(edit)
    if isStricter { hold(changed) }
    var warnings: [String] = []
    do {
      var newest = before
      newest.take(account: try await privacyService.fetchRules(), at: now())
      changed = try newest.edited(edit)
      if changed.account != newest.account {
        try await privacyService.setRules(changed.account)
      }
      accountAsOf = now()
    } catch let problem as FieldProblem {
      hold(before)
      throw problem
    } catch {
      log.error("change — the account was not reached: \(error.logLabel)")
      if changed.account != before.account {
        guard isStricter else {
          throw FieldProblem(field: .server, advice: "Nothing was changed. \(error.sentence)")
        }
        changed = try before.editedHere(edit)
        warnings.append(
          "It holds on this machine only, since the account was not reached. \(error.sentence)")
      }
    }
    hold(changed)
    var isKept = true
    do {
      try await save()
    } catch {
      // Every start fetches the account's rules before it sends anything.
      isKept = changed.own == before.own
      warnings.append(
        isKept
          ? "It is kept with your account, and not on this machine: \(error.sentence)"
          : "It is not kept for the next start: \(error.sentence)")
    }
    return Change(
      warning: warnings.isEmpty ? nil : warnings.joined(separator: " "), isKept: isKept)
  }

  private func requireReadable() throws(FieldProblem) {
    guard reading != .done else { return }
    let path = ownerID.flatMap { persistenceService.path(ofKey: Self.key(userID: $0)) }
    throw FieldProblem(
      field: .file,
      advice: "Your zones and hours cannot be read, so nothing leaves this machine. Delete "
        + "\(path ?? "their file") to begin anew.")
  }
}

extension KeptPrivacyRules {
  /// - Throws: `FieldProblem` if the result would be no rules.
  @MainActor fileprivate func edited(
    _ edit: @MainActor (inout KeptPrivacyRules) throws(FieldProblem) -> Void
  ) throws(FieldProblem) -> KeptPrivacyRules {
    var changed = self
    try edit(&changed)
    if let problem = changed.own.problem ?? changed.account?.problem {
      throw FieldProblem(field: .text, advice: problem)
    }
    return changed
  }

  /// As above, with what is added kept on this machine.
  @MainActor fileprivate func editedHere(
    _ edit: @MainActor (inout KeptPrivacyRules) throws(FieldProblem) -> Void
  ) throws(FieldProblem) -> KeptPrivacyRules {
    var alone = self
    alone.account = nil
    alone = try alone.edited(edit)
    alone.account = account
    return alone
  }
}

/// A parsed zone: `home 300m`, `home 2km city`, `office 200m at Rua Augusta 5, Lisbon`.
public struct ZoneRequest: Hashable, Sendable {
  /// Metres around the place, where nothing else is typed.
  public static let standardDistance = 300.0

  public var name: String
  /// Metres.
  public var distance = standardDistance
  public var allows = PrivacyZone.Allowance.nothing
  /// nil for where this device is.
  public var place: String?

  /// - Throws: `FieldProblem` that says what to type instead.
  public init(_ words: [String]) throws(FieldProblem) {
    name = try PrivacyRules.checkedName(words.first ?? "")
    var words = words.dropFirst()
    if let at = words.firstIndex(of: "at") {
      place = words[words.index(after: at)...].joined(separator: " ")
      words = words[..<at]
      guard place != "" else { throw Self.problem }
    }
    for word in words {
      if word.lowercased() == "city" {
        allows = .city
      } else if word.first?.isNumber == true {
        distance = try Self.distance(typed: word)
      } else {
        throw Self.problem
      }
    }
  }

  /// Parses `300m` or `2km`.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  public static func distance(typed text: String) throws(FieldProblem) -> Double {
    try RadiusText.parse(text, allowed: PrivacyZone.distances)
  }

  private static let problem = FieldProblem(
    field: .text, advice: "Type a zone like home 300m, home 2km city, or office 200m at PLACE.")
}
