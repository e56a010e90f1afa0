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

  /// A colour that is laid over areas: mixed with them in 24 bits, in their place with 256 colours.
  public struct Tint: Hashable, Sendable {
    let rgb: UInt32
    let xterm: UInt8

    public init(_ rgb: UInt32, xterm: UInt8) {
      self.rgb = rgb
      self.xterm = xterm
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
    case .indexed: return Int32(tint?.xterm ?? shades.xterm[light])
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
