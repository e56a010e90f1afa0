import RallyWire

extension MissionsStore {
  // MARK: - Arrivals

  /// Those who arrived at a mission since this machine began to remember, and I.
  public var arrivals: [ComingRecord] {
    coming.filter { row in row.arrivedAt.map { $0 > reading.since } ?? false }
  }

  /// Takes the arrivals that were not told yet.
  ///
  /// - What: Each arrival is returned once, also with several interfaces of the profile and after a
  ///   restart.
  /// - How: What is taken is written to a file of this account on this machine first.
  /// - Why: The server keeps an arrival for a day, so that each fetch brings it again.
  /// - Service Calls: None
  public func takeArrivals() async -> [ComingRecord] {
    let rows = arrivals
    let news = Set(await once.take(rows.map(\.arrivalKey), at: now()))
    return rows.filter { news.contains($0.arrivalKey) }
  }
}

extension ComingRecord {
  /// Who comes to the same mission a second time arrives a second time.
  fileprivate var arrivalKey: String {
    "arrival \(missionID.wireText) \(userID.wireText) \(beganAt.microseconds)"
  }
}
