import ArgumentParser
import RallyWire

struct MissionsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "missions", abstract: "Do things with friends at places.",
    discussion: """
      A mission is named by its id, or by the start of its id or of its title where that is the \
      only one. Places are a city (Lisbon) or latitude,longitude in degrees (38.72,-9.14).

      With --json a mission is an object with id, creator_id, title, brief, latitude, longitude, \
      radius_m, starts_at, ends_at, series (repeats, starts_at, month_day, time_of_day, \
      until, time_zone, skipped, next_starts_at; null for once), capacity, visibility, state, phase, created_at, closed_at, \
      version, objectives (id, title, latitude, longitude, radius_m, count, check_ins, last_by, \
      last_at), members (user_id, username, display_name, state, joined_at), member_count, \
      is_full, my_state, is_live and distance_m; what is not known is null.
      """,
    subcommands: [
      MissionsList.self, MissionsShow.self, MissionsCard.self, MissionsNew.self,
      MissionsEdit.self, MissionVerb<MissionsSkip>.self,
      MissionVerb<MissionsJoin>.self, MissionVerb<MissionsLeave>.self, MissionsCheckIn.self,
      MissionsSay.self, MissionsInvite.self, MissionsOnMyWay.self, MissionsComing.self,
      MissionsLocate.self, MissionVerb<MissionsComplete>.self, MissionVerb<MissionsCancel>.self,
      MissionsImport.self, MissionsExport.self, MissionsCalendar.self,
    ],
    defaultSubcommand: MissionsList.self)
}

extension MissionScope: ExpressibleByArgument {}
extension MissionVisibility: ExpressibleByArgument {}
extension MissionRepeat: ExpressibleByArgument {}
