import ArgumentParser
import FoundationEssentials
import Glibc
import RallyClient
import RallyCommand
import RallyDomain
import RallyMap
import RallyStreets
import RallySystem
import RallyWire
import RallyWords
import TerminalKit
import TerminalNcurses

struct MapShow: AsyncParsableCommand {
  enum Glyphs: String, ExpressibleByArgument, CaseIterable {
    case auto, braille, sextants, blocks, ascii
  }

  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the map, with your friends on it.",
    discussion: """
      Without --at and --zoom it is the whole world. Friends who show you where they are stand on \
      it, and you as @; without an account, or where the server is not reached, it is the map alone.

      With --plain it is a list of the people with distance and direction, the nearest first; where \
      there are none to list it is the map in ASCII.

      On a terminal the map has colours (see --color) and its night, in a pipe it is text.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var places: PlaceOptions
  @Option(help: "Columns x rows (100x30); without it the terminal's, in a pipe 80x24.")
  var size: String?
  // A latitude south of the equator looks like a flag.
  @Option(
    parsing: .unconditional,
    help:
      "The middle: a city, a street, or latitude,longitude in degrees; with --zoom alone it is you."
  )
  var at: String?
  @Option(
    parsing: .unconditional,
    help:
      "From 0 (the world on 128 columns) to 18, each step doubles it; 6 where only --at is given, 16 for a street."
  )
  var zoom: Double?
  @Option(help: "Draw with braille, sextants, blocks or ascii; auto asks the terminal.")
  var glyphs: Glyphs?
  @Flag(help: "Leave out the people, you among them.") var noPeople = false

  func run() async throws {
    let typedSize = try self.size.map(Self.size)
    if let zoom, !(0...Viewport.maximumZoom).contains(zoom) {
      throw VerbFailure(.usage, "The zoom is from 0 to 18.", advice: "Type --zoom 4.")
    }
    let session = try await CommandSession(global)
    let place: Place? = if let at { try await session.place(typed: at, places) } else { nil }
    let people = try await noPeople ? MapPeople() : MapPeople(of: session)
    let tiles = await session.streetTiles
    if global.isPlain, !global.json, !people.positions.isEmpty {
      for line in await people.sentences(tiles) { session.output.data(line) }
      return session.output.message(Self.attribution)
    }

    let environment = ProcessInfo.processInfo.environment
    let glyphs = glyphSet(session.configuration, environment)
    let colorMode = global.json ? .mono : colorMode(session.configuration, environment)
    // The background is not asked for: a verb ends before a slow terminal has answered.
    let memory = BackgroundMemory(
      folders: await session.services.folders, environment: environment)
    let theme = session.configuration.theme.choice.theme(
      isBackgroundLight: await memory.isLight()
        ?? TerminalAnswer.isLight(colors: environment["COLORFGBG"]))
    let paintsAreas = theme.paintsAreas(in: colorMode) && glyphs != .ascii
    let viewport = viewport(try typedSize ?? terminalSize, place, me: people.me?.coordinate)
    let map = PrintedMap(
      viewport,
      markers: MapMarkers.markers(
        people.positions, me: people.me, glyphs: glyphs, hasInitials: paintsAreas, at: people.now),
      ground: await tiles.ground(for: viewport) ?? .none,
      options: MapOptions(
        glyphs: glyphs,
        fillStyle: paintsAreas ? .background : .stipple,
        night: colorMode == .mono ? nil : people.now.date,
        showsLights: theme.hasLights(in: colorMode),
        distanceOrigin: people.me.map { GeoPoint($0.coordinate) }))
    if global.json { return try session.output.json(MapDocument(map: map, people: people)) }
    for line in map.lines(theme: theme, colorMode: colorMode) { session.output.data(line) }
    session.output.message(Self.attribution)
  }

  private static let attribution = "Map data: \(MapFrame.attribution)."

  // MARK: What is asked for

  private static func size(typed text: String) throws -> Size {
    guard let size = Size(typed: text) else {
      throw VerbFailure(
        .usage,
        "The size is columns x rows, from 1x1 to \(Size.largestTyped)x\(Size.largestTyped).",
        advice: "Type --size 100x30.")
    }
    return size
  }

  /// Nothing can be distinguished on a smaller map.
  private static let smallest = Size(width: 20, height: 5)

  /// The terminal's, less a line for the prompt and one for what is said; 80x24 where there is none.
  private var terminalSize: Size {
    get throws(VerbFailure) {
      guard let size = Size(ofTerminal: STDOUT_FILENO) else { return Size(width: 80, height: 24) }
      let rest = global.quiet ? 1 : 2
      guard size.width >= Self.smallest.width, size.height >= Self.smallest.height + rest else {
        throw VerbFailure(
          .terminalTooSmall,
          "A map needs \(Self.smallest.width) columns and \(Self.smallest.height + rest) rows; "
            + "this terminal has \(size.width) and \(size.height).",
          advice: "Make it larger, or type --size 80x24.")
      }
      return Size(width: size.width, height: size.height - rest)
    }
  }

  private func viewport(_ size: Size, _ place: Place?, me: Coordinate?) -> Viewport {
    let world = Viewport.wholeWorld(columns: size.width, rows: size.height)
    if let place {
      let isStreet = place.name != nil && place.radiusMetres == nil
      let near = isStreet ? Self.zoomOfStreet : Self.zoomOfPlace
      return world.showing(GeoPoint(place.coordinate), zoom: zoom ?? near)
    }
    guard let zoom else { return world }
    return world.showing(me.map { GeoPoint($0) } ?? world.center, zoom: zoom)
  }

  /// How near a place is shown where nothing else is asked for: with the towns around it.
  private static let zoomOfPlace = 6.0
  private static let zoomOfStreet = 16.0

  // MARK: What it looks like

  private func glyphSet(
    _ configuration: Configuration, _ environment: [String: String]
  ) -> GlyphSet {
    let asked = glyphs.flatMap { MapGlyphSetting(rawValue: $0.rawValue) }
    if asked == nil, global.isPlain { return .ascii }
    return GlyphSet(asked ?? configuration.mapGlyphs, environment: environment)
  }

  /// What the printed map may use; a pipe gets no colour unless it is asked for.
  private func colorMode(
    _ configuration: Configuration, _ environment: [String: String]
  ) -> ColorMode {
    let choice = global.color == .auto ? configuration.color.rawValue : global.color.rawValue
    let type = environment["TERM", default: ""]
    let isFit = isatty(STDOUT_FILENO) == 1 && type != "dumb" && !global.isPlain
    guard choice == "always" || isFit else { return .mono }
    let known = NcursesTerminal.colors(ofType: type, environment: environment)
    return ColorMode(choice: choice, environment: environment).limited(to: known ?? 16)
  }
}

/// The people on a printed map.
struct MapPeople {
  /// The nearest to me first; in the order of the friends' list if my position is not known.
  var positions: [FriendPosition] = []
  var me: LocationFix?
  var now = WireTime.now

  init() {}

  /// Friends and me, as far as known; prints a message if the server is not reached.
  init(of session: CommandSession) async throws {
    let services = session.services
    guard await services.authService.currentSession != nil else { return }
    me = await session.restoredLocationProvider.fix
    do {
      let friends = try await session.friends()
      let records = try await services.locationsService.fetchFriendLocations()
      now = .now
      positions = friends.compactMap { friend in
        records.first { $0.userID == friend.id }.flatMap { FriendPosition($0, of: friend) }
      }.filter { $0.isShown(at: now) }
    } catch {
      guard let failure = VerbFailure(translating: error) else { throw error }
      session.output.message("No friends on the map: \(failure.message)")
    }
    guard let me = me?.coordinate else { return }
    positions.sort {
      (me.distance(to: $0.coordinate), $0.profile.username)
        < (me.distance(to: $1.coordinate), $1.profile.username)
    }
  }

  /// One sentence for each person, with all that the map would show.
  func sentences(_ tiles: StreetTiles) async -> [String] {
    var sentences: [String] = []
    for position in positions {
      let place =
        await tiles.place(of: position)?.title
        ?? PlaceFinder.world.nearest(position.coordinate)?.name
      sentences.append(
        PositionFormatter.sentence(on: position, at: now, near: place, from: me))
    }
    return sentences
  }
}

// What `rally map --json` prints. Scripts build on these names: nothing is renamed or left out,
// and what is unknown is null.

/// A printed map and the people on it.
struct MapDocument: JSONRow {
  let map: PrintedMap
  let people: MapPeople

  var members: [String: (any Encodable)?] {
    let viewport = map.frame.viewport
    return [
      "columns": viewport.columns,
      "rows": viewport.rows,
      "center": CenterRow(viewport.center),
      "zoom": viewport.zoom,
      "lines": map.lines(),
      "pins": pins,
      "scale": map.frame.scaleBar.map(ScaleRow.init),
      "attribution": MapFrame.attribution,
    ]
  }

  /// Everybody in view, friends first; people with the same cell share a pin.
  private var pins: [PinRow] {
    let friends = people.positions.compactMap { position in
      map.frame.pin(of: MapMarkers.id(of: position.id)).map { PinRow(pin: $0, position: position) }
    }
    let mine = people.me.flatMap { fix in
      map.frame.pin(of: MapMarkers.me).map { PinRow(pin: $0, me: fix) }
    }
    return friends + [mine].compactMap(\.self)
  }
}

/// The centre of the map.
private struct CenterRow: Encodable {
  var latitude: Double
  var longitude: Double

  init(_ point: GeoPoint) {
    latitude = point.latitude
    longitude = point.longitude
  }
}

/// The scale bar: its length in cells and in metres.
private struct ScaleRow: Encodable {
  var cells: Int
  var metres: Double
  var label: String

  init(_ bar: ScaleBar) {
    (cells, metres, label) = (bar.cells, bar.metres, bar.label)
  }
}

/// One person on the map; my own row has no username, and its unknown values are null.
private struct PinRow: JSONRow {
  let pin: PlacedPin
  var position: FriendPosition?
  var me: LocationFix?

  var members: [String: (any Encodable)?] {
    let coordinate = position?.coordinate ?? me?.coordinate
    return [
      "username": position?.profile.username,
      "display_name": position?.profile.displayName,
      "is_me": position == nil,
      "column": pin.column,
      "row": pin.row,
      "latitude": coordinate?.latitude,
      "longitude": coordinate?.longitude,
      "precision": position?.precision,
      "accuracy_m": position?.accuracyMetres ?? me?.accuracyMetres,
      "recorded_at": position?.recordedAt ?? me?.recordedAt,
    ]
  }
}
