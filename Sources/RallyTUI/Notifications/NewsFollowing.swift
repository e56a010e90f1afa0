import RallyDomain
import RallyWire
import TerminalKit

/// Says what others do: on the screen, and outside of it to somebody who looks elsewhere.
private struct NewsFollowing: View {
  let content: AnyView
  let socialStore: SocialStore
  let missionsStore: MissionsStore

  @State private var announcer = Announcer()
  @Environment(\.configuration) private var configuration
  @Environment(\.desktopNotifier) private var desktopNotifier
  @Environment(\.interface) private var interface
  @Environment(\.navigationService) private var navigationService
  @Environment(\.terminal) private var terminal

  var body: some View {
    content.onChanges(
      ChangeObserver(SocialStatus(socialStore)) { old, new in
        for sentence in SocialNews.sentences(from: old, to: new) { interface.say(sentence) }
        hear(SocialNews.news(from: old, to: new))
      },
      ChangeObserver(MissionStatus(missionsStore)) { old, new in
        for sentence in MissionNews.sentences(from: old, to: new) { interface.say(sentence) }
        hear(MissionNews.news(from: old, to: new))
      },
      ChangeObserver(terminal.hasFocus) { if $1 { desktop.seen() } },
      ChangeObserver(missionsStore.heardLines) { old, new in
        hear(MissionNews.news(from: old, to: new))
      }
    )
  }

  private var desktop: DesktopNews {
    DesktopNews(notifier: desktopNotifier, terminal: terminal)
  }

  private func hear(_ news: [News]) {
    guard !news.isEmpty else { return }
    announcer.hear(news) {
      configuration.notifications
    } screen: {
      ScreenStatus(
        tab: navigationService.selectedTab, route: navigationService.route,
        hasFocus: terminal.hasFocus)
    } announce: {
      desktop.notify($0, by: configuration.notifications.way)
    }
  }
}

extension View {
  func followNews(_ socialStore: SocialStore, _ missionsStore: MissionsStore) -> some View {
    NewsFollowing(content: AnyView(self), socialStore: socialStore, missionsStore: missionsStore)
  }
}
