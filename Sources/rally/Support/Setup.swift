import FoundationEssentials
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyTUI
import RallyWire
import Synchronization

/// The result of flags, environment, configuration and the profile's stored choices.
struct Setup {
  let folders: RallyFolders
  /// What the person may have done on this host.
  let capabilities: Capabilities
  /// Whom sshd let in; nil for the owner of this host's account.
  let guest: Guest?
  let configurationService: ConfigurationService
  let reading: ConfigurationLoadResult
  /// The actions with their keys.
  let keyMap: KeyMap
  let server: ServerChoice
  /// Whether this profile signed in to some server before.
  let hasSignedInBefore: Bool
  /// What is wrong with the memory of servers; whoever has the services reports it.
  private let storageProblems: [String]
  /// What measures where this device is, in the order of rank.
  let locationSources: [LocationSource]
  /// The variable of the environment that was ignored because of its value. Only what measures has to
  /// refuse to go on without it.
  let locationProblem: VerbFailure?

  var configuration: Configuration { reading.configuration }
  /// Settings, keys and variables that were ignored, with the reasons.
  var configurationProblems: [ConfigurationProblem] {
    let variables = locationProblem.map {
      ConfigurationProblem(
        file: "environment", place: nil, sentence: "\($0.message) \($0.advice ?? "")")
    }
    return configurationService.problems(reading, keyMap) + [variables].compactMap(\.self)
  }

  /// The services for this profile on a server.
  ///
  /// - Parameter sleepMonitor: What reports the machine's sleep.
  @MainActor
  func services(on server: ServerChoice, sleepMonitor: SleepMonitor? = nil) -> AppServices {
    let services = AppServices(
      folders: folders, server: server,
      executable: capabilities.contains(.processes) ? ServerExecutable.expectedPath : nil,
      locationSources: locationSources, sleepMonitor: sleepMonitor, capabilities: capabilities,
      storesSession: guest == nil, transport: guest?.transport ?? .live)
    for problem in storageProblems { services.storageNotices.post(problem) }
    return services
  }

  /// The access token of who is signed in with this profile; nil for nobody.
  var token: @Sendable () async throws -> String? {
    get async {
      let client = await services(on: server).client
      return {
        do {
          return try await client.accessToken()
        } catch NetworkError.signedOut {
          return nil
        }
      }
    }
  }

  /// The path of this program.
  static var executable: String { ProcessInfo.processInfo.arguments.first.map(resolve) ?? "rally" }

  /// A guest has the standard settings, and nothing of the host's environment or configuration.
  ///
  /// - Throws: `FieldProblem` for an invalid server address, `VerbFailure` for a server without its
  ///   key, and what reading the files throws.
  init(_ global: GlobalOptions) async throws {
    guest = Guest.current
    if let guest {
      capabilities = .guest
      folders = guest.folders
      server = guest.server
      reading = ConfigurationLoadResult()
      configurationService = ConfigurationService(file: guest.folders.configFile)
      keyMap = await KeyMap(bindings: [], file: configurationService.file)
      hasSignedInBefore = guest.session != nil
      storageProblems = []
      locationSources = []
      locationProblem = nil
      return
    }
    let environment = ProcessInfo.processInfo.environment
    let folders = try RallyFolders(data: global.data, profile: global.profile)
    let configurationService = global.configurationService(in: folders)
    let reading = configurationService.load()
    self.folders = folders
    capabilities = .owner
    self.configurationService = configurationService
    self.reading = reading
    keyMap = await KeyMap(bindings: reading.configuration.keys, file: configurationService.file)
    (locationSources, locationProblem) = Self.locationSources(environment, reading.configuration)
    let notices = StorageNotices()
    let memory = ServerMemoryService(folders: folders, notices: notices)
    let remembered = try await memory.chosen()
    storageProblems = notices.takeWaiting()
    hasSignedInBefore = remembered != nil
    if let typed = global.server ?? environment["RALLY_SERVER"] {
      let urls = try await memory.knownFirst(ServerURL.list(typed))
      let url = urls[0]
      let given = global.key ?? environment["RALLY_KEY"]
      let known = try await memory.key(of: url)
      guard let key = given ?? known else {
        throw VerbFailure(
          .usage, "The server \(url) needs its API key.",
          advice: "Give it with --key; who invited you has it, and `rally serve` prints it.")
      }
      let isKnown = try await memory.allowsPlain(url)
      server = .remote(
        url, key: key, allowsPlain: global.insecure || isKnown, others: Array(urls.dropFirst()))
    } else if case .remote(let url, let key, let isKnown, let others) = remembered {
      server = .remote(url, key: key, allowsPlain: global.insecure || isKnown, others: others)
    } else if let remembered {
      server = remembered
    } else if let url = reading.configuration.serverURL {
      guard let key = try configurationService.serverKey(of: reading.configuration) else {
        throw VerbFailure(
          .usage, "The configuration names a server but no key_file.",
          advice: "Add key_file below [server] in \(configurationService.file).")
      }
      server = .remote(
        url, key: key, allowsPlain: global.insecure || reading.configuration.isServerInsecure)
    } else {
      server = .embedded
    }
  }

  private static func locationSources(
    _ environment: [String: String], _ configuration: Configuration
  ) -> ([LocationSource], VerbFailure?) {
    var sources: [LocationSource] = []
    do throws(VerbFailure) {
      if let gpsd = try gpsd(environment, configuration) { sources.append(.gpsd(at: gpsd)) }
      if try geoClue(environment, configuration).isOn(in: environment) {
        sources.append(.geoClue(in: environment))
      }
      return (sources, nil)
    } catch {
      return (sources, error)
    }
  }

  private static func geoClue(
    _ environment: [String: String], _ configuration: Configuration
  ) throws(VerbFailure) -> GeoClueSetting {
    guard let typed = environment["RALLY_GEOCLUE"], !typed.isEmpty else {
      return configuration.geoClue
    }
    guard let setting = GeoClueSetting(rawValue: typed) else {
      throw VerbFailure(
        .usage, "RALLY_GEOCLUE has an unknown value.", advice: "Set it to auto, on or off.")
    }
    return setting
  }

  /// Where gpsd is asked; nil if it is not.
  private static func gpsd(
    _ environment: [String: String], _ configuration: Configuration
  ) throws(VerbFailure) -> GPSDAddress? {
    guard let typed = environment["RALLY_GPSD"] else { return configuration.gpsd }
    if typed.isEmpty { return nil }
    guard let address = GPSDAddress(typed) else {
      throw VerbFailure(
        .usage, "RALLY_GPSD is not an address.", advice: "Set it to host:port, like 127.0.0.1:2947."
      )
    }
    return address
  }

  /// The program's path by the kernel, so that a relative start keeps working.
  private static func resolve(_ argument: String) -> String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? argument
  }
}

extension GlobalOptions {
  /// The path of the configuration: `--config`, or the default one.
  func configFile(in folders: RallyFolders) -> String {
    guard let config else { return folders.configFile }
    guard !config.hasPrefix("/") else { return config }
    return FileManager.default.currentDirectoryPath + "/" + config
  }

  /// The configuration's service for what the flags name.
  func configurationService() throws(InvalidProfileName) -> ConfigurationService {
    configurationService(in: try RallyFolders(data: data, profile: profile))
  }

  /// The one of this process, since a pipe is read once.
  func configurationService(in folders: RallyFolders) -> ConfigurationService {
    let (file, isNamed) = (configFile(in: folders), config != nil)
    return Self.services.withLock { services in
      if let service = services[file] { return service }
      let service = ConfigurationService(file: file, isNamed: isNamed)
      services[file] = service
      return service
    }
  }

  private static let services = Mutex<[String: ConfigurationService]>([:])

  /// Says what of the configuration that the person named is ignored.
  @MainActor func reportConfigurationProblems() {
    guard config != nil, Guest.current == nil, let service = try? configurationService() else {
      return
    }
    let reading = service.load()
    let keyMap = KeyMap(bindings: reading.configuration.keys, file: service.file)
    let output = Output(options: self)
    for problem in service.problems(reading, keyMap) { output.message(problem.description) }
  }
}

extension ConfigurationService {
  /// All problems, those of the person's file first, in the order of the lines.
  func problems(_ reading: ConfigurationLoadResult, _ keyMap: KeyMap) -> [ConfigurationProblem] {
    let last = SourcePosition(line: .max, column: 0)
    let problems = (reading.problems + keyMap.problems)
      .sorted { ($0.place ?? last) < ($1.place ?? last) }
    return problems.filter { $0.file == file } + problems.filter { $0.file != file }
  }
}
