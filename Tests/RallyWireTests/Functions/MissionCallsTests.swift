import Foundation
import RallyText
import RallyWire
import Testing

@Suite struct MissionCallsTests {
  private let id = UUID()

  @Test func `an update tells what stays from what goes`() throws {
    var update = UpdateMission(missionID: id)
    #expect(try WireJSON.text(update) == #"{"p_mission_id":"\#(id.wireText)"}"#)
    update.endsAt = .clear
    update.capacity = .set(5)
    #expect(
      try WireJSON.text(update)
        == #"{"p_capacity":5,"p_ends_at":null,"p_mission_id":"\#(id.wireText)"}"#)
    for change in [FieldChange<Int>.keep, .clear, .set(7)] {
      update.capacity = change
      let read = try WireJSON.decode(UpdateMission.self, from: WireJSON.encode(update))
      #expect(read.capacity == change)
      #expect(read.endsAt == .clear)
    }
  }

  @Test func `every field of an update survives the way there and back`() throws {
    var update = UpdateMission(missionID: id)
    update.title = "Tiles"
    update.brief = ""
    update.latitude = 1
    update.longitude = 2
    update.radiusMetres = 3
    update.startsAt = WireTime(microseconds: 4)
    update.endsAt = .set(WireTime(microseconds: 5))
    update.repeats = .set(.weekly)
    update.repeatUntil = .clear
    update.timeZone = "Europe/Lisbon"
    update.visibility = .private
    update.isLive = true
    update.objectives = [ObjectiveInput(id: UUID(), title: "Door", count: 3)]
    let data = try WireJSON.encode(FunctionCall(update, clientID: UUID()))
    let read = try WireJSON.decode(FunctionCall<UpdateMission>.self, from: data)
    #expect(try WireJSON.encode(read) == data)
    let keys = try WireJSON.decode([String: JSONValue].self, from: data).keys
    #expect(Set(keys) == Set(UpdateMission.parameters).subtracting(["p_capacity"]))
  }

  @Test func `a new mission says what it has, and nothing of what it has not`() throws {
    var call = CreateMission(
      title: "Tiles", centre: Coordinate(latitude: 1, longitude: 2)!, radiusMetres: 3)
    let least = #""p_latitude":1,"p_longitude":2,"p_radius_m":3"#
    #expect(try WireJSON.text(call) == #"{\#(least),"p_title":"Tiles"}"#)
    call.brief = ""
    call.startsAt = WireTime(microseconds: 4)
    call.endsAt = WireTime(microseconds: 5)
    call.repeats = .weekly
    call.repeatUntil = WireTime(microseconds: 6)
    call.timeZone = "Europe/Lisbon"
    call.monthDay = 31
    call.timeOfDay = ClockTime("02:30")
    call.capacity = 5
    call.visibility = .private
    call.isLive = true
    call.objectives = [ObjectiveInput(title: "Door")]
    let data = try WireJSON.encode(FunctionCall(call, clientID: id))
    let keys = try WireJSON.decode([String: JSONValue].self, from: data).keys
    #expect(Set(keys) == Set(CreateMission.parameters))
    let read = try WireJSON.decode(FunctionCall<CreateMission>.self, from: data)
    #expect(read.function == call && read.clientID == id)
    // From nothing nothing can be taken away.
    var changes = call.changes
    (changes.endsAt, changes.repeats, changes.repeatUntil) = (.clear, .clear, .clear)
    changes.capacity = .clear
    #expect(!(try WireJSON.text(CreateMission(changes))).contains("null"))
  }

  @Test func `every declared argument name starts with the prefix`() {
    let declared: [[String]] = [
      CreateMission.parameters, UpdateMission.parameters, CancelMission.parameters,
      CompleteMission.parameters, JoinMission.parameters, LeaveMission.parameters,
      FetchMission.parameters, FetchMissions.parameters, InviteToMission.parameters,
      CheckIn.parameters, FetchMissionActivity.parameters, SayInMission.parameters,
      CreateInvitation.parameters, FetchInvitations.parameters, FetchInvitation.parameters,
      AcceptInvitation.parameters, RevokeInvitation.parameters,
    ]
    for names in declared {
      #expect(!names.isEmpty)
      #expect(names.allSatisfy { $0.hasPrefix("p_") })
    }
  }

  @Test func `the calls about one mission look alike`() throws {
    let client = UUID()
    let body =
      #"{"p_client_id":"\#(client.wireText)","p_mission_id":"\#(id.wireText)"}"#
    #expect(try WireJSON.text(FunctionCall(JoinMission(missionID: id), clientID: client)) == body)
    #expect(try WireJSON.text(FunctionCall(LeaveMission(missionID: id), clientID: client)) == body)
    #expect(try WireJSON.text(FunctionCall(CancelMission(missionID: id), clientID: client)) == body)
    #expect(
      try WireJSON.text(FunctionCall(CompleteMission(missionID: id), clientID: client)) == body)
  }
}
