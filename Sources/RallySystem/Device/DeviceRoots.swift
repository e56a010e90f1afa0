import Dispatch
import FoundationEssentials
import Glibc

/// Where device signals are read from.
public struct DeviceRoots: Sendable, Hashable {
  /// The root of sysfs.
  public var system: String
  /// The root of procfs.
  public var process: String
  /// The address of the system bus; nil to ask no service.
  public var systemBus: String?
  /// The address of the bus with the desktop portal; nil outside of a sandbox.
  public var portalBus: String?

  public init(
    system: String = "/sys", process: String = "/proc", systemBus: String? = nil,
    portalBus: String? = nil
  ) {
    self.system = system
    self.process = process
    self.systemBus = systemBus
    self.portalBus = portalBus
  }

  /// The default roots; `RALLY_SYSFS` overrides that of sysfs.
  public init(environment: [String: String]) {
    let system = environment["RALLY_SYSFS"] ?? ""
    let isSandboxed =
      !environment["SNAP", default: ""].isEmpty
      || FileManager.default.fileExists(atPath: "/.flatpak-info")
    self.init(
      system: system.isEmpty ? "/sys" : system, systemBus: BusAddress.system(in: environment),
      portalBus: isSandboxed ? BusAddress.session(in: environment) : nil)
  }
}

/// Reads sysfs and procfs attributes.
struct AttributeReader: Sendable {
  let root: String

  /// The trimmed text of an attribute; nil if it is missing, empty or cannot be read now.
  func text(_ path: String) -> String? {
    let descriptor = open("\(root)/\(path)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return AttributeReader.text(of: descriptor)
  }

  func number(_ path: String) -> Int? { text(path).flatMap { Int($0) } }

  /// The sorted names in a folder; empty if the folder does not exist.
  func names(in folder: String) -> [String] {
    guard let stream = opendir("\(root)/\(folder)") else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Reads an open attribute from its start, whatever the file offset; at most 64 KiB.
  static func text(of descriptor: Int32) -> String? {
    var bytes: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { page in
      while bytes.count < 65_536 {
        let count = pread(descriptor, page.baseAddress, page.count, off_t(bytes.count))
        guard count > 0 else { return }
        bytes.append(contentsOf: page.prefix(count))
      }
    }
    let isBlank: (UInt8) -> Bool = { $0 <= 0x20 }
    guard let start = bytes.firstIndex(where: { !isBlank($0) }),
      let end = bytes.lastIndex(where: { !isBlank($0) })
    else { return nil }
    return String(decoding: bytes[start...end], as: UTF8.self)
  }
}

/// The services that device signals are read from.
struct SignalBuses: Sendable {
  private let system: BusMonitor?
  private let portal: BusMonitor?

  /// - Parameters:
  ///   - needsNetwork: Whether to ask about the network.
  ///   - onChange: Called on the queue after the answers changed.
  init(
    _ roots: DeviceRoots, needsNetwork: Bool, queue: DispatchQueue,
    onChange: @escaping @Sendable () -> Void
  ) {
    let power = PowerProfiles.objects + [UPower.service, UPower.battery]
    system = roots.systemBus.map { address in
      BusMonitor(
        address: address, objects: power + (needsNetwork ? [NetworkManager.object] : []),
        queue: queue, onChange: onChange)
    }
    portal =
      needsNetwork
      ? roots.portalBus.map {
        BusMonitor(address: $0, objects: [PortalNetwork.object], queue: queue, onChange: onChange)
      } : nil
  }

  /// Asks every service, and waits for their answers up to the limit. Call it on the queue.
  func start(waiting limit: Duration) {
    for monitor in [system, portal] {
      monitor?.start()
      monitor?.settle(within: limit)
    }
  }

  func stop() {
    system?.stop()
    portal?.stop()
  }

  var answers: [BusObject: BusAnswer] {
    (system?.answers ?? [:]).merging(portal?.answers ?? [:]) { answer, _ in answer }
  }

  /// Why there is no system bus; nil if there is one, or none is looked for.
  var problem: BusProblem? { system?.problem }
}
