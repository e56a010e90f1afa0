// swift-tools-version: 6.2

import PackageDescription

/// Every target of ours: Swift 6 mode comes with the tools version; a warning is an error.
/// What Swift 7 will do, it does already: docs/decisions/toolchain.md says what is left out.
let settings: [SwiftSetting] =
  [.treatAllWarnings(as: .error)]
  + [
    "ExistentialAny", "ImmutableWeakCaptures", "InferIsolatedConformances",
    "MemberImportVisibility", "NonisolatedNonsendingByDefault",
  ].map { .enableUpcomingFeature($0) }
/// Of the interface and its tests: what says nothing else runs on the main actor.
let onMainActor: [SwiftSetting] = settings + [.defaultIsolation(MainActor.self)]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
  .product(name: "NIOWebSocket", package: "swift-nio"),
]

let package = Package(
  name: "rally",
  products: [
    .executable(name: "rally", targets: ["rally"]),
    .executable(name: "rally-server", targets: ["rally-server"]),
    .library(name: "RallyState", targets: ["RallyState"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
  ],
  targets: [
    // MARK: C
    .systemLibrary(name: "CExpat"),
    .systemLibrary(name: "CNcurses"),
    .systemLibrary(name: "CSodium"),
    .systemLibrary(name: "CSpawn"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CTimerFD"),
    .systemLibrary(name: "CZlib"),
    .target(name: "CTerminalGuard"),
    .target(name: "CNetlink"),
    .target(name: "CPostgres"),
    .target(name: "CPtyHolder"),
    .target(name: "CQRCode"),
    .target(
      name: "CSealing", dependencies: [.product(name: "NIOSSL", package: "swift-nio-ssl")]),
    .target(name: "CServerProcess"),
    .target(name: "CSystemdBus"),
    .target(name: "CTOML"),
    .target(name: "CRuntimeHooks"),
    .target(name: "CWorldMap", exclude: ["world.rwm", "monaco.pmtiles"]),

    // MARK: Rally
    .target(name: "RallyText", swiftSettings: settings),
    .target(name: "RuntimeHooks", dependencies: ["CRuntimeHooks"], swiftSettings: settings),
    .target(name: "RallyTOML", dependencies: ["CTOML"], swiftSettings: settings),
    .target(name: "RallyEnvironment", swiftSettings: settings),
    .target(name: "RallyState", dependencies: ["RallyEnvironment"], swiftSettings: settings),
    .target(name: "RallyWire", dependencies: ["RallyText"], swiftSettings: settings),
    .target(name: "RallyGate", dependencies: ["RallyWire"], swiftSettings: settings),
    .target(
      name: "RallyWatch", dependencies: ["RallyText", "RallyWire", "CSealing"],
      swiftSettings: settings),
    .target(name: "RallyMap", dependencies: ["RallyText", "CWorldMap"], swiftSettings: settings),
    .target(
      name: "RallyStreets", dependencies: ["RallyText", "RallyMap", "CSQLite", "CZlib"],
      swiftSettings: settings),
    .target(
      name: "RallySystem",
      dependencies: [
        "RallyText", "RallyWire", "CNetlink", "CSpawn", "CSystemdBus", "CTimerFD", "RuntimeHooks",
        log,
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .target(
      name: "RallyClient",
      dependencies: [
        "RallyText", "RallyEnvironment", "RallyWire", "RallySystem", log,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ] + nio,
      swiftSettings: settings),
    .target(
      name: "RallyDomain",
      dependencies: [
        "RallyText", "RallyTOML", "RallyEnvironment", "RallyState", "RallyWire", "RallyGate",
        "RallyWatch", "RallyMap", "RallyStreets", "RallySystem", "RallyClient", "CExpat", log,
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .target(
      name: "TerminalKit", dependencies: ["RallyText", "RallyEnvironment", "RuntimeHooks"],
      swiftSettings: settings),
    .target(
      name: "TerminalState", dependencies: ["RallyState", "TerminalKit"], swiftSettings: settings),
    .target(
      name: "TerminalNcurses",
      dependencies: ["RallyText", "TerminalKit", "CNcurses", "CTerminalGuard"],
      swiftSettings: settings),
    .target(
      name: "RallyWords",
      dependencies: [
        "RallySystem", "RallyText", "RallyWire", "RallyClient", "RallyDomain", "RallyMap",
        "RallyStreets", "TerminalKit", "CQRCode",
      ],
      swiftSettings: settings),
    .target(
      name: "RallyTUI",
      dependencies: [
        "RallySystem", "RallyClient", "RallyText", "RallyEnvironment", "RallyState", "RallyWire",
        "RallyDomain", "RallyWords", "RallyMap", "RallyStreets", "TerminalKit", "TerminalState",
      ],
      swiftSettings: onMainActor),
    .target(
      name: "RallyStorage",
      dependencies: [
        "RallyText", "RallyWire", "CPostgres", "CSodium", log,
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .target(
      name: "RallyRules",
      dependencies: [
        "RallyText", "RallyWire", "RallyGate", "RallyStorage", log,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .target(
      name: "RallyServer",
      dependencies: [
        "RallyText", "RallyWire", "RallyGate", "RallyStorage", "RallyRules", "CServerProcess",
        log,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
      ] + nio,
      swiftSettings: settings),
    .target(
      name: "RallyDemo",
      dependencies: [
        "RallySystem", "RallyClient", "RallyWire", "RallyMap", "RallyDomain", "CWorldMap", log,
      ],
      swiftSettings: settings),
    .target(
      name: "RallyCommand",
      dependencies: [
        "RallySystem", "RallyClient", "RallyText", "RallyWire", "RallyStreets", "RallyDomain",
        "TerminalKit", log,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "rally",
      dependencies: [
        "RallySystem", "RallyClient", "RallyText", "RallyEnvironment", "RallyWire", "RallyMap",
        "RallyStreets", "RallyState", "RallyDomain", "RallyWords", "RallyTUI", "RallyDemo",
        "RallyCommand", "TerminalKit", "TerminalNcurses",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "rally-server",
      dependencies: [
        "RallySystem", "RallyClient", "RallyText", "RallyWire", "RallyGate", "RallyStreets",
        "RallyDomain",
        "RallyStorage", "RallyRules", "RallyServer", "RallyDemo",
        "RallyCommand", log,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),

    // MARK: Tests
    .target(name: "CNotificationServer"),
    .target(
      name: "RallyTestSupport",
      dependencies: [
        "RallySystem", "RallyClient", "RallyText", "RallyEnvironment", "RallyWire", "RallyGate",
        "RallyDomain", "RallyStorage", "RallyRules", "RallyServer", "TerminalKit",
        "TerminalNcurses", "CNcurses", "CNotificationServer", "CPostgres", "CPtyHolder", log,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ] + nio,
      swiftSettings: settings),
    .testTarget(
      name: "RuntimeHooksTests", dependencies: ["RuntimeHooks"], swiftSettings: settings),
    .testTarget(
      name: "RallyMapTests", dependencies: ["RallyMap", "CWorldMap"], swiftSettings: settings),
    .testTarget(
      name: "RallyStreetsTests",
      dependencies: ["RallyStreets", "RallyMap", "CSQLite", "CZlib"],
      exclude: ["Fixtures", "Pictures"], swiftSettings: settings),
    .testTarget(name: "RallyStateTests", dependencies: ["RallyState"], swiftSettings: settings),
    .testTarget(name: "RallyTextTests", dependencies: ["RallyText"], swiftSettings: settings),
    .testTarget(name: "RallyWireTests", dependencies: ["RallyWire"], swiftSettings: settings),
    .testTarget(
      name: "RallySystemTests",
      dependencies: ["RallySystem", "RallyTestSupport", "CTimerFD"], swiftSettings: settings),
    .testTarget(
      name: "RallyClientTests",
      dependencies: ["RallySystem", "RallyClient", "RallyTestSupport"], swiftSettings: settings),
    .testTarget(
      name: "RallyDomainTests",
      dependencies: [
        "RallySystem", "RallyClient", "RallyDomain", "RallyGate", "RallyState", "RallyTOML",
        "RallyTestSupport", "RallyStreets", "RallyWatch", "CTimerFD",
      ],
      exclude: ["Sharing/GPSD/walk.nmea"], swiftSettings: settings),
    .testTarget(
      name: "RallyDemoTests",
      dependencies: [
        "RallySystem", "RallyClient", "RallyDemo", "RallyStreets", "RallyTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TerminalKitTests",
      dependencies: ["TerminalKit", "RallyTestSupport", "CNcurses"],
      exclude: ["Input/Sequences"], swiftSettings: settings),
    .testTarget(
      name: "TerminalStateTests",
      dependencies: ["TerminalState", "RallyState", "TerminalKit", "RallyTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "TerminalNcursesTests",
      dependencies: ["TerminalNcurses", "RallyTestSupport", "CNcurses", "CTerminalGuard"],
      swiftSettings: settings),
    .testTarget(
      name: "RallyWordsTests",
      dependencies: [
        "RallySystem", "RallyText", "RallyWire", "RallyDomain", "RallyWords", "RallyMap",
        "RallyTestSupport", "TerminalKit",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RallyTUITests",
      dependencies: [
        "RallySystem", "RallyClient", "RallyWords", "RallyTUI", "RallyState", "TerminalState",
        "RallyTestSupport",
      ],
      swiftSettings: onMainActor),
    .testTarget(
      name: "RallyStorageTests",
      dependencies: [
        "RallyStorage", "RallyServer", "RallyTestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RallyRulesTests",
      dependencies: [
        "RallyStorage", "RallyRules", "RallyServer", "RallyGate", "RallyWatch", "RallyTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RallyServerTests",
      dependencies: [
        "RallyStorage", "RallyRules", "RallyServer", "RallyGate", "RallyWatch", "RallyTestSupport",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "RallySystem", "RallyClient", "rally", "RallyStorage", "RallyRules", "RallyServer",
        "RallyMap", "RallyStreets",
        "RallyCommand", "RallyTestSupport", "RallyWatch",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),

    // MARK: Pictures and measurements
    .executableTarget(
      name: "rally-pictures",
      dependencies: [
        "RallySystem", "RallyClient", "RallyWire", "RallyMap", "RallyStreets", "RallyDomain",
        "RallyWords", "RallyTUI", "RallyDemo", "RallyTestSupport", "TerminalKit",
      ],
      path: "Pictures",
      swiftSettings: settings),
    .executableTarget(
      name: "rally-bench",
      dependencies: [
        "RallySystem", "RallyClient", "RallyWire", "RallyMap", "RallyStreets", "RallyDomain",
        "RallyTUI", "RallyStorage", "RallyRules", "RallyServer",
        "RallyTestSupport", "CSodium", log,
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ] + nio,
      path: "Benchmarks",
      exclude: ["Cluster/costs.json", "Cluster/scale-tables"],
      swiftSettings: settings),
  ],
  cxxLanguageStandard: .cxx17
)

// A target in Swift has a README, which says what it is and may know.
for target in package.targets where target.swiftSettings != nil && !target.isTest {
  target.exclude.append("README.md")
}
