import TerminalKit

extension ActionTable {
  /// The actions of all features with their default keys, in the order of the help.
  public static let rally = ActionTable(features.flatMap(\.self))

  private static let features: [[Action]] = [
    MapActions.all.map(\.action), StreetsSheet.all.map(\.action),
    MissionActions.all.map(\.action), [InviteSheet.makeCode.action],
    [MissionCardSheet.save.action],
    [ImportSheet.run.action], CalendarSheet.all.map(\.action), SharingSheet.all.map(\.action),
    PrivacySheet.all.map(\.action), LinksSheet.all.map(\.action),
    AlertsSheet.all.map(\.action), PhonesSheet.all.map(\.action), SettingsSheet.all,
    SSHKeysSheet.all.map(\.action), PersonActions.all.map(\.action),
    SocialHome.all.map(\.action), [.codes], FriendsPane.all.map(\.action),
    LocationAskActions.all.map(\.action), WaitingQuestionActions.all.map(\.action),
    GlobalActions.all.map(\.action),
    ProgramActions.all.map(\.action), MarkActions.all.map(\.action), Action.movement,
    Action.shared, SessionHome.all.map(\.action),
    [QuestionBox.confirm.action], [TextEditing.edit.action],
    MissionComposerForm.all.map(\.action), PaletteSheet.all.map(\.action),
    InvitationSheet.all.map(\.action), RefusedInvitation.all.map(\.action),
    InvitationsSheet.all.map(\.action),
  ]
}
