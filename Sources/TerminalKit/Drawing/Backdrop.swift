/// What lies under a text: an area, the light on it, and the colour that is laid over it. One byte,
/// so that a cell stays small.
public struct Backdrop: Hashable, Sendable {
  /// A translucent colour over an area, named as whose position it surrounds.
  public enum Tint: UInt8, Sendable, CaseIterable {
    case none, live, old, you, mission
  }

  /// The light on an area, from day to night. Dusk is a warm band of its own.
  public enum Light: UInt8, Sendable, CaseIterable, Comparable {
    case day, dusk, twilight, late, night

    public static func < (one: Light, other: Light) -> Bool { one.rawValue < other.rawValue }

    /// - Parameter depth: How far night has fallen: 0 by day, `deepestNight` in astronomical night.
    init(depth: Int) {
      self =
        switch depth {
        case ..<1: .day
        case 1: .dusk
        case 2...3: .twilight
        case 4...5: .late
        default: .night
        }
    }
  }

  /// 0 is no area; else 1 + (area · 5 + light) · 5 + tint, areas counted as in `Role.fills`.
  let rawValue: UInt8

  /// Night is counted in steps, 0 by day.
  public static let deepestNight = 7

  /// No area: the background of the text's own role.
  public static let none = Backdrop(rawValue: 0)

  private init(rawValue: UInt8) { self.rawValue = rawValue }

  private init(_ area: Role, _ light: Light, _ tint: Tint) {
    guard area.isFill else {
      self = .none
      return
    }
    let (lights, tints) = (UInt8(Light.allCases.count), UInt8(Tint.allCases.count))
    rawValue =
      1 + ((area.rawValue - Role.fillSea.rawValue) * lights + light.rawValue) * tints
      + tint.rawValue
  }

  /// - Parameters:
  ///   - area: One of `Role.fills`; any other role is no area, which has neither light nor tint.
  ///   - night: 0...`deepestNight`.
  public init(_ area: Role, night: Int = 0, tint: Tint = .none) {
    self.init(area, Light(depth: night), tint)
  }

  /// The area; `.normal` for none.
  public var area: Role {
    guard rawValue > 0 else { return .normal }
    let index = (rawValue - 1) / UInt8(Light.allCases.count * Tint.allCases.count)
    return Role(rawValue: Role.fillSea.rawValue + index) ?? .normal
  }

  public var light: Light {
    guard rawValue > 0 else { return .day }
    return Light(
      rawValue: (rawValue - 1) / UInt8(Tint.allCases.count) % UInt8(Light.allCases.count)) ?? .day
  }

  public var tint: Tint {
    guard rawValue > 0 else { return .none }
    return Tint(rawValue: (rawValue - 1) % UInt8(Tint.allCases.count)) ?? .none
  }

  /// The same light and tint over another area.
  public func over(_ area: Role) -> Backdrop { Backdrop(area, light, tint) }

  static let all =
    [none]
    + Role.fills.flatMap { area in
      Light.allCases.flatMap { light in Tint.allCases.map { Backdrop(area, light, $0) } }
    }
}

/// The colours of areas in each light, and those that are laid over them.
///
/// Every value is chosen for 24 bits and for 256 colours: nothing is rounded to the nearest colour.
public struct AreaColors: Hashable, Sendable {
  /// The colours of one area by `Backdrop.Light`, from day to night.
  public struct Shades: Hashable, Sendable {
    let rgb: [UInt32]
    let xterm: [UInt8]

    /// - Parameters:
    ///   - rgb: Five colours, 24-bit RGB.
    ///   - xterm: Five colours of xterm's palette, 16...255.
    public init(_ rgb: [UInt32], xterm: [UInt8]) {
      precondition(rgb.count == Backdrop.Light.allCases.count && xterm.count == rgb.count)
      self.rgb = rgb
      self.xterm = xterm
    }
  }

  /// A colour that is laid over areas. In 24 bits it is mixed with them. With 256 colours it takes
  /// their place, with one for land and one for water, so that the shore stays.
  public struct Tint: Hashable, Sendable {
    let rgb: UInt32
    let land: UInt8
    let water: UInt8

    public init(_ rgb: UInt32, xterm land: UInt8, onWater water: UInt8) {
      self.rgb = rgb
      self.land = land
      self.water = water
    }

    func xterm(over area: Role) -> UInt8 {
      area == .fillSea || area == .fillWater ? water : land
    }
  }

  private let shades: [Role: Shades]
  private let tints: [Tint]
  private let tintShare: Double

  /// - Parameters:
  ///   - shades: The colours of each area; others are not painted.
  ///   - tints: The colours of `Backdrop.Tint` but `none`, in order.
  ///   - tintShare: How much of a tint an area takes in 24 bits, 0...1.
  public init(_ shades: [Role: Shades], tints: [Tint], share tintShare: Double) {
    precondition(tints.count == Backdrop.Tint.allCases.count - 1)
    self.shades = shades
    self.tints = tints
    self.tintShare = tintShare
  }

  /// The colour number of an area for the terminal; nil where it has none in a mode.
  func number(of backdrop: Backdrop, in mode: ColorMode) -> Int32? {
    guard let shades = shades[backdrop.area] else { return nil }
    let light = Int(backdrop.light.rawValue)
    let tint = backdrop.tint == .none ? nil : tints[Int(backdrop.tint.rawValue) - 1]
    switch mode {
    case .mono, .sixteen: return nil
    case .indexed: return Int32(tint?.xterm(over: backdrop.area) ?? shades.xterm[light])
    case .direct:
      let ground = shades.rgb[light]
      return Int32(tint.map { Self.mixed(ground, $0.rgb, share: tintShare) } ?? ground)
    }
  }

  /// Mixes each channel linearly.
  private static func mixed(_ one: UInt32, _ other: UInt32, share: Double) -> UInt32 {
    [16, 8, 0].reduce(0) { sum, shift in
      let (from, to) = (Double(one >> shift & 255), Double(other >> shift & 255))
      return sum | UInt32((from + (to - from) * share).rounded()) << shift
    }
  }
}
