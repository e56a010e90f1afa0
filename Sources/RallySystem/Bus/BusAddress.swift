import FoundationEssentials

/// Where the buses of this machine are.
package enum BusAddress {
  /// The address of the system bus, whether or not there is one.
  package static func system(in environment: [String: String]) -> String {
    let address = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""
    return address.isEmpty ? "unix:path=/run/dbus/system_bus_socket" : address
  }

  /// The address of the user's session bus; nil if there is none.
  package static func session(in environment: [String: String]) -> String? {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
      FileManager.default.fileExists(atPath: "\(folder)/bus")
    else { return nil }
    return "unix:path=\(folder)/bus"
  }
}
