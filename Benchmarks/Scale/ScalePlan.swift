/// How much one machine is asked to carry.
struct ScalePlan {
  var people = 1_000_000
  var friends = 10_000
  var sockets = 5000
  /// Who hears of one change.
  var audience = 20
  /// Changes a second, over all.
  var rate = 500
  var seconds = 20
  /// How often each search and each page is asked for.
  var asks = 200
  /// Connections that ask for plain answers, each as soon as it has the last one.
  var connections = 64

  static let full = ScalePlan()
  /// As many sockets among no more people than they need.
  static let crowd = ScalePlan(people: 6000, friends: 100)
  /// Sees in a minute whether all of it works; its figures mean nothing.
  static let small = ScalePlan(
    people: 2000, friends: 200, sockets: 60, rate: 40, seconds: 3, asks: 20, connections: 8)
}
