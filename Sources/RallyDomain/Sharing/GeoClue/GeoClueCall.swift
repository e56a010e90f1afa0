import RallySystem

/// A call to GeoClue 2
/// (https://www.freedesktop.org/software/geoclue/docs/gdbus-org.freedesktop.GeoClue2.Manager.html).
enum GeoClueCall: Equatable {
  /// Makes the object by which this program asks, and starts GeoClue if it does not run.
  case getClient
  /// Sets a property of the client.
  case set(String, Property, of: String)
  case start(String)
  case stop(String)
  case deleteClient(String)
  /// Asks whether the desktop lets the client measure.
  case activity(String)
  case location(String)

  enum Property: Equatable {
    case text(String)
    case number(UInt32)
  }

  static let service = "org.freedesktop.GeoClue2"
  static let manager = BusObject(
    service: service, path: "/org/freedesktop/GeoClue2/Manager",
    interface: "org.freedesktop.GeoClue2.Manager")
  static let client = "org.freedesktop.GeoClue2.Client"
  static let properties = "org.freedesktop.DBus.Properties"
  private static let location = "org.freedesktop.GeoClue2.Location"

  /// How the call is written.
  struct Form {
    var object: BusObject
    var method: String
    var arguments: [BusArgument] = []
    /// The bus may start GeoClue for it.
    var startsService = false
    /// GeoClue answers only when the person, or the desktop's agent, has decided.
    var waitsForPermission = false
  }

  var form: Form {
    switch self {
    case .getClient:
      Form(
        object: Self.manager, method: "GetClient", startsService: true, waitsForPermission: true)
    case .deleteClient(let path):
      Form(object: Self.manager, method: "DeleteClient", arguments: [.path(path)])
    case .start(let path):
      Form(object: Self.object(path, Self.client), method: "Start", waitsForPermission: true)
    case .stop(let path): Form(object: Self.object(path, Self.client), method: "Stop")
    case .set(let name, let value, let path):
      Form(
        object: Self.object(path, Self.properties), method: "Set",
        arguments: [.text(Self.client), .text(name), value.argument])
    case .activity(let path):
      Form(
        object: Self.object(path, Self.properties), method: "GetAll",
        arguments: [.text(Self.client)])
    case .location(let path):
      Form(
        object: Self.object(path, Self.properties), method: "GetAll",
        arguments: [.text(Self.location)])
    }
  }

  private static func object(_ path: String, _ interface: String) -> BusObject {
    BusObject(service: service, path: path, interface: interface)
  }
}

extension GeoClueCall.Property {
  fileprivate var argument: BusArgument {
    switch self {
    case .text(let text): BusArgument.text(text).variant
    case .number(let number): BusArgument.unsigned(number).variant
    }
  }
}
