/// The size of the load tests.
struct ScalePlan {
  var people = 1_000_000
  var friends = 10_000
  var sockets = 5000
  /// Receivers of one change.
  var audience = 20
  /// Changes per second in total.
  var rate = 500
  var seconds = 20
  /// How often the programs that answer plain requests take turns within `seconds`.
  var turns = 5
  /// The number of samples of each search and each page.
  var asks = 200
  /// Connections that repeat a minimal request, each as soon as the previous response has arrived.
  var connections = 64
  /// Phones that post positions.
  var phones = 250

  static let full = ScalePlan()
  /// The full number of sockets with just enough users.
  static let socketsOnly = ScalePlan(people: 6000, friends: 100)
  /// As many sockets as a process may open, twenty thousand at most.
  static var mostSockets: ScalePlan {
    let sockets = min(20_000, OpenFiles.most - OpenFiles.besideSockets)
    return ScalePlan(people: sockets + 1000, friends: 100, sockets: sockets)
  }
  /// Phones that post beside open sockets.
  static let phones = ScalePlan(people: 6000, friends: 100, sockets: 500)
  /// Checks in a minute that everything works; the figures mean nothing.
  static let small = ScalePlan(
    people: 2000, friends: 200, sockets: 60, rate: 40, seconds: 3, turns: 1, asks: 20,
    connections: 8)
}
