import RallyWire
import Testing

@testable import RallyDemo

struct DemoScriptTests {
  private let script = DemoScript(seed: 7)

  @Test func `the same seed plays the same, another one something else`() {
    for minute in 0..<12 {
      #expect(script.cues(inMinute: minute) == DemoScript(seed: 7).cues(inMinute: minute))
    }
    #expect(script.cues(inMinute: 5) != DemoScript(seed: 8).cues(inMinute: 5))
  }

  @Test func `every minute has its own acts, in order`() {
    for minute in 0..<40 {
      let times = script.cues(inMinute: minute).map(\.at)
      #expect(times == times.sorted())
      #expect(times.allSatisfy { $0 >= .seconds(60 * minute) && $0 < .seconds(60 * minute + 60) })
    }
  }

  @Test func `the first minute shows something every few seconds`() {
    let cues = script.cues(inMinute: 0)
    let news = cues.filter { $0.act != .publish }.map(\.at)
    #expect(cues.first.map { $0.at <= .seconds(2) } == true)
    #expect(news.first.map { $0 <= .seconds(10) } == true)
    for (one, next) in zip(news, news.dropFirst()) { #expect(next - one <= .seconds(10)) }
    #expect(cues.contains(Cue(.seconds(10), "tomas", .askVisitor)))
  }

  @Test func `it gets calmer`() {
    let first = script.cues(inMinute: 0).count
    for minute in 4..<30 {
      let cues = script.cues(inMinute: minute)
      #expect(cues.count * 2 <= first)
      #expect(cues.count { $0.act != .publish } <= 1)
    }
  }

  @Test func `only the cast acts, and who checks in is there`() throws {
    for minute in 0..<6 {
      for cue in script.cues(inMinute: minute) {
        let member = try #require(Cast.member(cue.who))
        guard case .checkIn(let key, let objective) = cue.act else { continue }
        let plan = MissionPlan.plan(of: key)
        let place = plan.objectives[objective]
        let stand = try #require(member.route.stand(after: cue.at).coordinate)
        let centre = try #require(
          Coordinate(latitude: place.latitude, longitude: place.longitude))
        #expect(stand.distance(to: centre) <= place.radius, "\(cue)")
      }
    }
  }

  @Test func `what is said and planned fits the rules`() throws {
    let said = (0..<10).flatMap { script.cues(inMinute: $0) }.compactMap { cue -> String? in
      if case .say(_, let text) = cue.act { text } else { nil }
    }
    #expect(said.count > 4)
    for text in said + DemoLines.answers + DemoLines.cheers + DemoLines.welcomes {
      #expect(try MissionText.line(text) == text && !text.contains("!"))
    }
    for plan in MissionPlan.Key.allCases.map(MissionPlan.plan) {
      #expect(try MissionText.title(plan.title) == plan.title)
      #expect(try MissionText.brief(plan.brief) == plan.brief)
      #expect(MissionRules.radii.contains(plan.radius))
      for objective in plan.objectives {
        #expect(try MissionText.objective(objective.title) == objective.title)
        #expect(MissionRules.objectiveRadii.contains(objective.radius))
      }
    }
  }

  @Test func `the visitor stands where an objective of a mission can be done`() throws {
    let (latitude, longitude) = Cast.visitor.place
    let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
    let reachable = MissionPlan.plan(of: .lanterns).objectives.filter {
      guard let centre = Coordinate(latitude: $0.latitude, longitude: $0.longitude) else {
        return false
      }
      return MissionRules.isWithin(
        distance: place.distance(to: centre), accuracy: Cast.visitor.accuracyMetres,
        radius: $0.radius)
    }
    #expect(reachable.count == 1)
    #expect(Cast.visitor.accuracyMetres <= MissionRules.worstAccuracy)
  }
}
