import RallyDomain
import RallyMap
import TerminalKit

extension GlyphSet {
  /// What the map is drawn with, by what the person wants or by what the terminal can show.
  ///
  /// - Parameter environment: Read for `TERM` and for the locale. Where no locale is set at all UTF-8
  ///   is taken for granted, as everywhere in Rally.
  public init(_ setting: MapGlyphSetting, environment: [String: String]) {
    switch setting {
    case .braille: self = .braille
    case .sextants: self = .sextants
    case .blocks: self = .blocks
    case .ascii: self = .ascii
    case .auto:
      let isPoor =
        TerminalCapabilities.isLimited(type: environment["TERM", default: ""])
        || !TerminalCapabilities.isUnicode(environment)
      self = isPoor ? .ascii : .braille
    }
  }
}
