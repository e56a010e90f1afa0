import RallyDomain
import RallyMap
import RallyStreets
import RallySystem
import TerminalKit

// What modules without knowledge of the domain throw, for people and for the log.

extension ClipboardError: ReportableError {}

extension VectorTileError: ReportableError {
  public var sentence: String { description }
}

extension WorldMapError: ReportableError {
  public var sentence: String { "The world map in this program is damaged. Install Rally again." }
}
