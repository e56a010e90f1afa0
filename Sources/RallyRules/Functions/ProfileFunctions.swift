import Foundation
import RallyStorage
import RallyWire

struct ProfileFunctions: Sendable {
  static let idLimit = 500

  var now: @Sendable () -> WireTime = { .now }

  /// The profiles that the caller may see, in the order asked for.
  func fetchProfiles(
    _ call: FetchProfiles, caller: Caller, in database: Database
  ) throws -> [ProfileRecord] {
    guard call.userIDs.count <= ProfileFunctions.idLimit else {
      throw FunctionFailure(
        .invalidArgument, "Ask for at most \(ProfileFunctions.idLimit) people at once.")
    }
    var seen: Set<UUID> = []
    return try call.userIDs.filter { seen.insert($0).inserted }
      .compactMap { id in
        try ProfileRecords.find(id.wireText, visibleTo: caller.userID, in: database)
      }
  }

  func updateProfile(
    _ call: UpdateProfile, caller: Caller, in database: Database
  ) throws -> ProfileRecord {
    guard var profile = try ProfileRecords.find(caller.userID, in: database) else {
      throw FunctionFailure(.notFound, "There is nobody with this id.")
    }
    let old = profile
    do {
      if let text = call.username { profile.username = try Username(text).value }
      if let text = call.displayName { profile.displayName = try ProfileText.displayName(text) }
      if let text = call.bio { profile.bio = try ProfileText.bio(text) }
    } catch {
      throw FunctionFailure(error.reason, error.advice)
    }
    guard profile != old else { return old }
    if profile.username != old.username,
      try ProfileRecords.isTaken(username: profile.username, in: database)
    {
      throw FunctionFailure(.usernameTaken, "“\(profile.username)” is taken; choose another one.")
    }
    profile.version += 1
    try ProfileRecords.update(profile, at: now(), in: database)
    return profile
  }
}

extension FieldProblem {
  fileprivate var reason: FailureReason {
    switch field {
    case .username: .invalidUsername
    case .displayName: .invalidDisplayName
    case .bio: .invalidBio
    default: .invalidArgument
    }
  }
}
