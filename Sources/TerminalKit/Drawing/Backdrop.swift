/// What lies under a text: an area, how far night has fallen over it, and the colour that is laid
/// over it. One byte, so that a cell stays small.
public struct Backdrop: Hashable, Sendable {
  /// A translucent colour over an area, named as the role of the texts that go with it.
  public enum Tint: UInt8, Sendable, CaseIterable {
    case none, success, normal, accent
  }

  /// The area in bits 0...2 (0 is none, then `Role.fills` in order), the night in bits 3...5, the
  /// tint in bits 6 and 7.
  let rawValue: UInt8

  /// Night is counted in steps, 0 by day.
  public static let deepestNight = 7

  /// No area: the background of the text's own role.
  public static let none = Backdrop(rawValue: 0)

  private init(rawValue: UInt8) { self.rawValue = rawValue }

  /// - Parameters:
  ///   - area: One of `Role.fills`; any other role is no area, which has neither night nor tint.
  ///   - night: 0...`deepestNight`.
  public init(_ area: Role, night: Int = 0, tint: Tint = .none) {
    guard area.isFill else {
      self = .none
      return
    }
    let depth = min(max(night, 0), Self.deepestNight)
    rawValue =
      area.rawValue - Role.fillSea.rawValue + 1 | UInt8(depth) << 3 | tint.rawValue << 6
  }

  /// The area; `.normal` for none.
  public var area: Role {
    let index = rawValue & 7
    return index == 0 ? .normal : Role(rawValue: Role.fillSea.rawValue + index - 1) ?? .normal
  }

  public var night: Int { Int(rawValue >> 3 & 7) }
  public var tint: Tint { Tint(rawValue: rawValue >> 6) ?? .none }

  /// The area by day, without a tint.
  var plain: Backdrop { Backdrop(rawValue: rawValue & 7) }

  /// The same light and tint over another area.
  public func over(_ area: Role) -> Backdrop { Backdrop(area, night: night, tint: tint) }

  static let all = (UInt8.min...UInt8.max).map(Backdrop.init(rawValue:))
}

/// How areas darken at night, and what is laid over them.
public struct Shading: Hashable, Sendable {
  /// What areas turn into, 24-bit RGB.
  public let night: UInt32
  /// How far, 0...1, in the deepest night.
  public let nightShare: Double
  /// The tints but `.none`, in order, 24-bit RGB.
  public let tints: [UInt32]
  /// How much of a tint an area takes, 0...1.
  public let tintShare: Double

  public init(night: UInt32, share nightShare: Double, tints: [UInt32], share tintShare: Double) {
    self.night = night
    self.nightShare = nightShare
    self.tints = tints
    self.tintShare = tintShare
  }

  func shaded(_ rgb: UInt32, _ backdrop: Backdrop) -> UInt32 {
    let depth = Double(backdrop.night) / Double(Backdrop.deepestNight)
    let dark = Self.mixed(rgb, night, share: nightShare * depth)
    guard backdrop.tint != .none else { return dark }
    return Self.mixed(dark, tints[Int(backdrop.tint.rawValue) - 1], share: tintShare)
  }

  /// Mixes each channel linearly.
  private static func mixed(_ one: UInt32, _ other: UInt32, share: Double) -> UInt32 {
    [16, 8, 0].reduce(0) { sum, shift in
      let (from, to) = (Double(one >> shift & 255), Double(other >> shift & 255))
      return sum | UInt32((from + (to - from) * share).rounded()) << shift
    }
  }
}
