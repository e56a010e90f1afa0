import Dispatch

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
