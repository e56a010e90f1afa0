import Observation
import RallyClient
import RallySystem
import RallyWire

/// Which position of this device counts, why, and why each other one does not.
///
/// The rule, in this order:
/// 1. A manual pin with a time holds until that time.
/// 2. A manual pin without a time holds until a source measures that the device has moved since,
///    or until another client of the user reports a newer position.
/// 3. The fresh fix of the first source by rank (gpsd, then GeoClue).
/// 4. The newest position that is known from anywhere.
///
/// A fix of a source that is less accurate than 5 km is never taken and ends no pin, however fresh.
public struct LocationChoice: Hashable, Sendable {
  /// A position that was considered, or a source without one.
  public struct Candidate: Hashable, Sendable, Identifiable {
    /// `manual`, the name of a source, or `last-known`.
    public var id: String
    /// nil for what is no source.
    public var state: LocationSourceState?
    public var fix: LocationFix?
    /// When the fix arrived here; nil without one.
    public var arrivedAt: WireTime?
    public var verdict: LocationVerdict
  }

  /// nil while nothing is known.
  public private(set) var fix: LocationFix?
  /// In the order of the rule.
  public private(set) var candidates: [Candidate] = []
  /// When the choice must be made anew although nothing was reported; nil for never.
  private(set) var expiry: WireTime?
  /// Whether movement ended a pin without a time.
  var isPinLeft: Bool { candidates.first?.verdict == .left }

  /// When the position was measured, if nothing says that the device is still there.
  var lastKnownAt: WireTime? {
    if case .lastKnown? = taken?.verdict { fix?.recordedAt } else { nil }
  }

  public var taken: Candidate? { candidates.first { $0.verdict.isTaken } }

  /// Nothing is known.
  public init() {}

  /// Applies the rule.
  ///
  /// - Parameters:
  ///   - readings: One per source, in the order of their rank.
  ///   - elsewhere: The newest position that another client of the user reported.
  public init(
    pin: ManualPin?, readings: [LocationReading], elsewhere: LocationFix? = nil, at now: WireTime
  ) {
    let best = readings.lazy.compactMap { $0.measurement(at: now) }.first
    let pinVerdict = Self.verdict(on: pin, best: best, elsewhere: elsewhere, at: now)
    if let pin {
      candidates.append(
        Candidate(
          id: LocationFix.manualSource, fix: pin.fix, arrivedAt: pin.fix.recordedAt,
          verdict: pinVerdict))
    }
    var winner = pinVerdict.isTaken ? LocationFix.manualSource : nil
    fix = pinVerdict.isTaken ? pin?.fix : nil
    expiry = pinVerdict.isTaken ? pin?.until : nil
    for reading in readings {
      let verdict: LocationVerdict
      if !reading.isFresh(at: now) {
        verdict = reading.fix == nil || !reading.state.isMeasuring ? .notMeasuring : .tooOld
      } else if reading.isCoarse {
        verdict = .tooCoarse
      } else if let winner {
        verdict = .outranked(by: winner)
      } else {
        verdict = .measured
        winner = reading.source
        fix = reading.fix
        expiry = reading.freshUntil
      }
      candidates.append(
        Candidate(
          id: reading.source, state: reading.state, fix: reading.fix,
          arrivedAt: reading.arrivedAt, verdict: verdict))
    }
    let known = [pin?.fix, elsewhere].compactMap(\.self) + readings.compactMap(\.place)
    guard let newest = known.max(by: { $0.recordedAt < $1.recordedAt }) else { return }
    if winner == nil { fix = newest }
    candidates.append(
      Candidate(
        id: "last-known", fix: newest, arrivedAt: newest.recordedAt,
        verdict: winner.map { .outranked(by: $0) } ?? .lastKnown(from: newest.source)))
  }

  private static func verdict(
    on pin: ManualPin?, best: LocationFix?, elsewhere: LocationFix?, at now: WireTime
  ) -> LocationVerdict {
    guard let pin else { return .notMeasuring }
    if let until = pin.until { return now < until ? .pinned(until: until) : .ended(until) }
    if pin.isLeft { return .left }
    if let best, pin.isLeft(by: best) { return .left }
    if let elsewhere, elsewhere.recordedAt > pin.fix.recordedAt { return .replaced }
    return .pinned(until: nil)
  }
}

/// Why a position was taken or not.
public enum LocationVerdict: Hashable, Sendable {
  /// Taken: set by the user, until a time or until the device moves.
  case pinned(until: WireTime?)
  /// Taken: the first source by rank with a fresh fix.
  case measured
  /// Taken: nothing measures, so the newest known position counts.
  case lastKnown(from: String)
  /// Not taken: its time is over.
  case ended(WireTime)
  /// Not taken: the device has moved since it was set.
  case left
  /// Not taken: another client of the user reported a newer position.
  case replaced
  /// Not taken: the source has no fix; its state says why.
  case notMeasuring
  /// Not taken: the fix is older than its source allows.
  case tooOld
  /// Not taken: the fix is a region and not a place.
  case tooCoarse
  /// Not taken: another one goes before it.
  case outranked(by: String)

  public var isTaken: Bool {
    switch self {
    case .pinned, .measured, .lastKnown: true
    case .ended, .left, .replaced, .notMeasuring, .tooOld, .tooCoarse, .outranked: false
    }
  }

  /// Why, in words.
  public func sentence(at now: WireTime) -> String {
    switch self {
    case .pinned(until: nil): "set by you; it holds until you move"
    case .pinned(let until?): "set by you for \(Self.rest(until.since(now)))"
    case .measured: "the first source with a fresh fix"
    case .lastKnown(let source): "the newest that is known, from \(source)"
    case .ended(let time): "its time ended \(Age.sentence(time, at: now))"
    case .left: "you moved since it was set"
    case .replaced: "another client reported a newer one"
    case .notMeasuring: "no fix"
    case .tooOld: "too old"
    case .tooCoarse: "too inaccurate to say where you are"
    case .outranked(let winner): "\(winner) goes before it"
    }
  }

  /// `25 minutes more`, rounded up.
  private static func rest(_ duration: Duration) -> String {
    let minutes = (max(0, duration.components.seconds) + 59) / 60
    return minutes < 120
      ? "\(minutes.counted("minute")) more" : "\(((minutes + 59) / 60).counted("hour")) more"
  }
}

/// The state and the last fix of one source.
public struct LocationReading: Hashable, Sendable {
  public var source: String
  public var state = LocationSourceState.notAsked
  public var fix: LocationFix? {
    didSet { if fix == nil || !isCoarse { place = fix } }
  }
  /// The last fix that was no region.
  public private(set) var place: LocationFix?
  /// When the fix arrived, by this machine's clock; a receiver's clock may be wrong.
  public var arrivedAt: WireTime?
  /// How long a fix counts after it arrived.
  public var lifetime: Duration

  public init(source: String, lifetime: Duration = .seconds(600)) {
    self.source = source
    self.lifetime = lifetime
  }

  /// Metres. A fix that is less accurate is a region and not a place. GeoClue finds such ones by
  /// the network's address, which may be that of a company or a VPN. It would not even say in which
  /// cell of 10 km the device is.
  static let coarsest = 5000.0

  /// Whether its fix is too inaccurate to count.
  var isCoarse: Bool { (fix?.accuracyMetres ?? 0) > Self.coarsest }

  /// When its fix stops to count; nil without one, or while the source does not measure.
  var freshUntil: WireTime? {
    guard state.isMeasuring, fix != nil else { return nil }
    return arrivedAt?.advanced(by: lifetime)
  }

  /// Whether its fix is not older than its source allows.
  func isFresh(at now: WireTime) -> Bool { freshUntil.map { now < $0 } ?? false }

  /// The fix if it counts now.
  func measurement(at now: WireTime) -> LocationFix? {
    isFresh(at: now) && !isCoarse ? fix : nil
  }
}

extension CurrentLocationProvider {
  /// Asks all sources once, for a command that prints what they say.
  ///
  /// - Parameter limit: How long to wait for sources that have no fix yet.
  /// - Returns: The choice as soon as each source has a fix or cannot have one, or after the limit.
  public func survey(within limit: Duration) async -> LocationChoice {
    let wasTracking = isTracking
    startTracking()
    let waiting = Task { await settle() }
    let timeout = Task {
      if (try? await DispatchSleep.for(limit)) != nil { waiting.cancel() }
    }
    await waiting.value
    timeout.cancel()
    defer { if !wasTracking { stopTracking() } }
    return choice
  }

  private func settle() async {
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    var next = changes.makeAsyncIterator()
    repeat {
      let isSettled = withObservationTracking {
        choice.isSettled
      } onChange: {
        continuation.yield()
      }
      if isSettled { return }
    } while await next.next() != nil
  }
}

extension LocationChoice {
  /// Whether each source has a fresh fix or cannot have one.
  var isSettled: Bool {
    candidates.allSatisfy { candidate in
      guard let state = candidate.state else { return true }
      switch candidate.verdict {
      case .measured, .outranked: return true
      default: return state.isHopeless
      }
    }
  }
}
