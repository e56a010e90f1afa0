import RallyWire

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

  /// Metres. A fix that is less accurate tells a region and not a place: GeoClue finds such ones by
  /// the network's address, which may be that of a company or a VPN. It would not even tell in which
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
