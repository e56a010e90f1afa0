import RallyMap
import TerminalKit

extension MapCell {
  /// The look of a cell: by what is in it, whose it is, and whether it is night there.
  var style: Style {
    let tagged = MapTag(rawValue: tag) ?? .none
    let style: Style =
      switch ink {
      case .outside, .sea: .normal
      case .land: Style(.mapLand)
      case .lake: Style(.mapLake)
      case .coast: Style(.mapCoast)
      case .state: Style(.mapState)
      case .border: Style(.mapBorder)
      case .disputed: Style(.mapBorder).dim
      case .area, .trail: tagged.style.dim
      case .countryLabel: Style(.mapCountry)
      case .cityLabel: isCapital ? Style(.mapCity).bold : Style(.mapCity)
      case .arrow: tagged.style
      case .markerLabel: tagged == .old ? tagged.style : tagged.style.bold
      case .marker: tagged == .old ? tagged.style : tagged.style.bold
      }
    return isNight && ink <= .border ? style.dim : style
  }
}
