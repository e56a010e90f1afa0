import Foundation
import RallyMap
import Testing

/// What places look like close up: the expected map is drawn here.
struct PlacePicturesTests {
  @Test func `Europe`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 50, longitude: 10), zoom: 2, columns: 80, rows: 24),
      people: DemoPeople.all)
    #expect(
      drawn == """
                             ⢀⠂          ⢸⣎    ⢀⠎⢓⢜⢀⣰⢲  ⠈⠉⠚◦Stockholm⠉⠁  ⡘             ⢠
                       ⢀⠤⡆⡰⠒⢊⠏           ⠈⠢⡀ ⢀⠔⠁ ⠘⡄⠸⠔⠊   ⢹⠋      ⡔⡳⠣⢤    ⡅            ⠈⠫
                       ⠌⣪⡄⡇ ⠗⠒⠤⡄           ⠈⠉⠁ ⢀⢔⠆⠱⡀     ⢸⡀⢠⢺⠁  ⢠⠝⢢ ⢸⠊⠐⠂⠤⡔
                       ⠂⢀⡱⣡   ⡜              ⢠⠶⠁⢸⠁ ⠱⡀    ⣾⠁⠸⠃  ⢠⠃  ⠓◦Riga⠆
                         ⡈⡾⡀ ⠾⢆              ⠸⡀ ⣔⠋⣀⢴⠁ ⡤⠤⠴⠃     ⢸⠂⠉⠈⠂LATVIA⠦⢀⢀
                      ⡠⣤⠤⡀⢃⠇   ⠱⡀             ⡇⣜⣔⡏⢢◦Copenhagen⢀⣸⡧⢀     ⡘⠅  ⠈ ⠁⡄  Moscow◦
                    ⢀⣀⠧⢁⡀⢈⠞⠊⠩⡋  ⠣⡀           ⠐⢣⠉⢎⡐ ⣁⠤⡀  ⢀⡠⠒⠉⠱⠤⠇⠬⢀⡀⣅   ⡌       ⠢
                   ⢹⠁  ⠁⠈◦Dublin ⢬⡆      ⡀⣀⣀⡤⢄⡞⠂ ⠈⠊  ⠑⡖⠉⠁  POLAND  ⡗⠐⠁   ◦Minsk⠃⡄
                   ⢀⣭⣃  ⢀⠇ ⠼⡏⠉    ⠧⠲⡀   ⡰⠉  ⠇        ◦Berlin       ⠰  BELARUS ⠰⠑
                   ⣰⡅ ⣀⠤⠊  ⣰⠁ ⢀ UK ⡰⠁  ⡀⡇  ⡀⠃         ⢘        ●2 pawel…⡀  ⡀ ⢠⠘⠒⠁⠉⢄
                   ⠈⠉⠉     ⢠⠛⠚⠁⣀⣀◦London◦Brussels    ⢀⡀⣅           ⠘⡁   ⠈⠈⠁⠁⠊     ⠐⠂⡄
                         ⠠⢶⠓⠤⠊⠉⠈   ⢠⠃ ⠈⢂⣀ ⢠⠁ GERMANY⠊ ◦Prague ●ewa⢀⠌         ◦Kyiv  ⠈⠂⠤⠠
                              ⠂⢫⠑⠢⠒⠁  ↗ ⠈⠐⠚⠢⢀⡀     ⠈CZECHIA⡀⠕⠛⠐⠂⠒⠠⡢      UKRAINE
                           ⡔⠊⠑⠒⠒⠃    ●ana   ⢀⠃      AUSTRIA⠁ ⣀⠠⠄⠒⢌     ⡠⠄⠢
                           ⠈⠑⠢⢄    FRANCE  ⡀⠜⠈⠁⢲⡴⠠⢄⠒⠁Budapest◦   ⡄⠊⠁⠉⠐田中 健司 9280 km→
        ←max 6290 km           ⠧⡀         ⡠⠥ ⢀⡀⠤⠘⠁⠁⠑⠠⡤CROATIA ⣀⣀⠔        ⠈⡄⠠⠕⡠⠴⣻⣄⣀⡀⢀⠔⠒⠊⠠
                                ⣵          ⢈⠃⠁⠈    ⢤⠒⡶⣠⠄◦Zagreb⠡⠄ROMANIA  ⠶⠡⡜   ⠴⣊⠈⠘⣤⢤⣄⠼
                                ⡇⠁         ⢡⢀ITALY ⢸ ⠑⠙Belgrade◦⠊⠤⡄    ◦Bucharest⠈⠦⠚ ⠉⠈⠒
                     ⣀⠔⠒⠒⠒⠢⠤⠤⠤⠤⠼      ⢀⡠⠤⢄⣀⡠⠚⠁  ⢇  ⠈⠑⡄ ⠈⠣⡴⢆ ⢀⢌ ⣀ ⠐⣉⠒⠐⠂⠊⠈ ⢉⠜
                    ⠈⢢          ⠈⠂⠉⠐⠦⠄⢼       ⡔⢢⠊⠢⢄  ⠘⢄  ⠈⠙⠛⢆⣐⠼⡀⣀⢴ ◦Sofia⣸
                     ⢸⠁⠉⡘    SPAIN ⣀⠤⠔⠊      ⢀⣘⡎   ◦Rome⠉⠢⣀  ⢸ ⡃ ⢀⠢⠠⠂⣄⡠⠎⠁⠈⣢⡀⢀⣀⡠⠔⠊⠉⠉⠑⠒⠢⠤⣀
                     ⡜  ⡅   ◦Madrid   ⡀⡀     ⠸⡀⢸     ⠈⠒⠤⡀⢠⠒⢵⡀⢇ ⡙⠁⠁⢠⠼⣝⢀⠊⡳⠶⠭⠤⠝⠁   ◦Ankara
                     ⡇ ⠩⡀        ⢸ ⢀ ⠚⠇      ⠠⠧⠼        ⢣⠑⡆ ⠁⠈GREECE⢀ ⠠⠓⡆        TÜRKIYE
                 rui●@you     ↙lu 11550 km         ⢀⠤⣀⣀⢤⢼⠜   Athens◦⡷⡀⠈⢖zoe 16400 km↘
        """)
  }

  @Test func `the Great Lakes`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 45, longitude: -84), zoom: 2.5, columns: 80, rows: 24))
    #expect(
      drawn == """
              ⠃⢱⡜ ⠪⡀ ⢣                              ⢣⠉⠓   ⠸⡀
               ⢸⣣⣀ ⠘⡖⡜⡄                             ⠉⠑⢄ ⠠ ⡰⠁
               ⠈⠘⢺⢆  ⢓⣾⡄                              ⣨⢆⢠⠚⡵         ⢀⣠⡄      ⠘⡍⡹
                 ⠈⢧⢄  ⢇⠇                                ⠙⠄         ⢀⢷⠟        ⠹
                  ⠈⠒⠁·Winnipeg        ⡔⢤                           ⠨⠟             ⡠⠒⠒⠒⠒⣒
                         ⠠⡾⣆         ⠈⠑⠺                                         ⣰⠁    ⠈
        ⠂⠒⠐⠂⠒⠐⠂⠒⠐⠂⠒⠐⠂⠒⠐⠂⠒⠚⠵⢎  ⡀       ⢀⣴⠢⠤⠤⡄                                  ⡠⢊⡩⠔⠒⠉⠉⠉⠉⢢
                            ⠈⠁⠈⠐⠄⣀⠠⢄⣠⢜⠞⠢⢀⡀ ⠘⣄⣀⡀                           ⠉⠒⡤⡪⠒⠁  ⢀⣠⣤⣀⠤⡊
                                 ⢠⠊⠁  ⢀   ⠑⠠⡀ ⢣                           ⢀⢔⠝⢀⠄⢀⡀    ⠋⡏
                                ⣰⠥⣆⣀⡠⠔⠉⠦⢄  ⢀⣀⠭⣼⡀                       ⢀⣀·Québec⠰     ⢱⣰
                                         ⠉⡉⢁⡠⠤⣉⣹⣲⠢⣤⣤⣄⣀⡀              ⢠⠞⠋⠁  ⢐⠁   ⠈⡂     ⠣
                                         ⡰⠙⠁⢀⣀⠏⠒⠤⡑⠩⠖⢉⣀⠘⢤⠄       ◦Ottawa⢀⡀⣀⢠⠁     ⠡⣀ ⣀⡠⠴⡮
                                        ⣰⡅ ⢰⠹⠁   ⡇ ⡃⢀⠿⠤⠬⠖       ⣀⠄⠊⠉⠈⠁⠁       ⢀⢀⣀⠤⡃⠉⣀⠔⠉⠈
                                        ⢰⠁⢀⠇    ⡔⡡⢤⢨⢸    ⢀⣀⡠⠤⣔⢒⢫⠅           ⡠⠤⠛⠃   ⠸⡁ ⡠⠊
                                        ·Milwaukee⠈⡶⠜    ·Toronto          ⡜        ⠈⠊
                                        ⡇  ⡜      ·Detroit⠁               ·Boston
                                        ·Chicago ⢜⠕⡪⠑⣂⠭⠒⠉                ⣠⠘⣤⠄
                        ·Omaha                    ⠉⠉⠉               ⣆⣠⣒⡶⠉⠉⠙⠐
                                                                   ⠸·New York City
                               Indianapolis·      ·Columbus    ⢀ ⣔⠁⡠⠃
                          ·Kansas City                       ⢀◦Washington
           UNITED STATES                    ·Louisville      ⠘⢷⣇⢣⡰⠁
                                                             ⠠⠤⡎⠞
                                          ·Nashville          ⢀⣉·Virginia Beach
        """)
  }

  @Test func `states of the prairie`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 41, longitude: -98), zoom: 3.5, columns: 80, rows: 20))
    #expect(
      drawn == """
                       ⠨                              ⠅              ⠂⠄⡀
                       ⠨                              ⠅                 ⠂⡀
                       ⠨                              ⠅                   ⢂
                       ⠨                            ·Sioux Falls⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠆
                       ⠨                             ⠐⡀                    Madison·
                       ⢘⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠐⠠⠐⠐⠐⠠⢀⡐                     ⠡⢀
                       ⢐                             ⠐⠄                      ⠂⡂⠂⠂⠂⠂⠂⠂⠂⠂⠂
                       ⢐                              ⠨                       ⠐⡀
                       ⢐                               ⠡         ·Des Moines  ⡐ Aurora·
                       ⢐                                ·Omaha             ⠠⠂⠁
        ⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⠒⠐⠐⠐⠐⠐⠐⠐⢐                        ⠡                  ⠠⠁
                   ·Fort Collins                     ·Lincoln⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⡠⠁
                               ⢐                         ⠁⠄              ⠠⠁
                   ·Denver     ⠨⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠈⠐⡀            ⠈⠄
                               ⠨                           ⠐⡀             ⠈⠐⢀
                               ⠨                            ⢐·Kansas City    ⢂⢀
                    ·Colorado Springs                       ⢐         St. Louis·
                               ⠨                            ⠐⡀                ⠨
                               ⠨    UNITED STATES            ⡂                 ⠁⠂⡀     ⢠
                               ⠨                  ·Wichita   ⡂                   ⠐⡀   ⠠⠐
        """)
  }

  @Test func `the Azores`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 38.5, longitude: -28), zoom: 4.5, columns: 60, rows: 16))
    #expect(
      drawn == """


           ⢀⣀
           ⠚⠚


                                   ⣀      ⢠⠒⠤⣀
                               ⢔⣢⣀⣀⡀⠉⠒⠤⣀   ⠉⠑⠃
                                 ⠘⠤⠬⠵⠂


                                                       ⠫⣒⡒⠒⢒⡖
                                                         ⠈⠉⠁


                                                            ⠤⠄
        """)
  }

  @Test func `Hawaii`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 20.7, longitude: -157.5), zoom: 4.5, columns: 60, rows: 14))
    #expect(
      drawn == """
                    ⡔⠒⠒⡆
               ⢀⢔⠇ ⠈⠒⠤⡠⠃
                ⠁                ⢀⢄
                               ⠈⠫⡁⠈⠦⡄
                                 ⠈⠉·Honolulu⡀
                                       ⠈⠉⠑⣒⠊⡠⢢ ⣀
                                         ⠈⠢⠕⠈⠒⡍ ⠉⢒⠄
                                              ⠘⠒⠉⠁

                                                  ⠈⢗⠒⠢⠤⢄⣀
                                                  ⡰⠁     ⢇
                                                 ⠘⡄      ⠈⠒⢄
                                                  ⢱      ⣀⠔⠁
                                                  ⠈⡆ ⢀⠤⠊⠉
        """)
  }

  @Test func `Fiji, over the dateline`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: -17.5, longitude: 179), zoom: 4.5, columns: 60, rows: 14))
    #expect(
      drawn == """
                                             ⢀⡀
                                        ⢀⡠⠔⠊⢉⠕⠁
                                  ⢀ ⣀⠔⠊⠉⠁  ⡔⣁⡄⠞⠁
                                  ⠮⡍  ⡠⠔⠒⠢⠜⠛⠊⢁⠔⡱
                                   ⠘⠊⠉⠁      ⠚⠊
                       ⠈      ⢀⣀         ⠄            ⠁
                         ⢀⠤⠒⠊⠉⠁ ⠑⠤⡀
                         ·Lautoka ⢸ ⠂
                        ⢪   FIJI   ⢇    ⣰⡀           ⠐     ⠐
                         ⠉⠒⠤⣀⣀⣀⣀⠔◦Suva   ⠁             ⠠


                               ⣀⠤⢄⡀            ⡀
                             ⠐⠭⠒⠊⠉                       ⠠
        """)
  }

  @Test func `Lisbon, with how exact a place is and who is elsewhere`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 38.75, longitude: -9.2), zoom: 10, columns: 80, rows: 24),
      people: DemoPeople.all)
    #expect(
      drawn == """
          ⢀⠁                                            ana 1450 km↗        3 2610 km↗
          ⠠                                           ·Odivelas                 ⢀⠁
          ⠂                                                                     ⠄
          ⡁                                                                    ⠂
          ⠄                                         ●rui                      ⡈
          ⠂                                                                  ⠄
          ⡁                                                                 ⠐
          ⠄ ·Cacém                                                         ⢀⠁
          ⠐                                                               ⠠
          ⠈⡀                                                              ⠂
           ⠠                ·Queluz                                     ⢀⠈
        ←max 5420 km                 ·Amadora                           ⠄
            ⠁⡀                                                       田中 健司 11140 km→
             ⠠                                                      ⡀⠠⠈
              ⠐                                               ⡀⠠ ⠂⠈
               ⠈⡀                                       ⡀⠠ ⠂⠈
                 ⠄                                ⡀⠠ ⠂⠈                               ⢀⠈
                 ⠐                          ⡀⠠ ⠂⠈                 ◦Lisbon            ⠠
                   ⠁⡀                 ⡀⠠ ⠂⠈                           @you          ⠂
                     ⠐          ⡀⠠ ⠂⠈                                            ⢀ ⠁
                       ⠁⢀ ⠄⠐ ⠂⠈                                               ⢀ ⠂
              ⡀⢀ ⠄⠐ ⠂⠈    ⠂                                                zoe 18180 km↘
        ⠄⠐ ⠂⠈              ⠈ ⠄   ↙lu 9600 km                              ⠄⠈
                              ⠈ ⠂⢀                                   ⢀ ⠄⠈
        """)
  }

  @Test func `near by without streets there is a grid`() {
    let drawn = picture(
      Viewport(
        center: GeoPoint(latitude: 38.745, longitude: -9.15), zoom: 14, columns: 60, rows: 14),
      people: DemoPeople.all)
    #expect(
      drawn == """
         ⠂           ⠂   ↖rui 5.2 km    3 1450 km↗  ewa 2600 km↗
         ⠂           ⠂           ⠂           ⠂           ⠂
         ⠂           ⠂           ⠂           ⠂           ⠂
         ⠃ ⠁ ⠁ ⠁ ⠁ ⠁ ⠃ ⠁ ⠁ ⠁ ⠁ ⠁ ⠃ ⠁ ⠁ ⠁ ⠁ ⠁ ⠃ ⠁ ⠁ ⠁ ⠁ ⠁ ⠃ ⠁ ⠁ ⠁ ⠁ ⠁
        ←Amadora 7.1 km          ⠂           ⠂           ⠂
         ⠂           ⠂           ⠂           ⠂           ⠂
        ←max 5420 km ⠂           ⠂           ⠂           ⠂
         ⠂           ⠂           ⠂           ⠂   田中 健司 11140 km→
         ⠂           ⠂           ⠂           ⠂           ⠂
         ⠃ ⠁ ⠁ ⠁ ⠁ ⠁ ⠃ ⠁ ⠁ ⠁ ⠁ ⠁ ⠃ ⠁ ⠁ ⠁ ⠁ ⠁ ⠃ ⠁ ⠁ ⠁ ⠁ ⠁ ⠃ ⠁ ⠁ ⠁ ⠁ ⠁
         ⠂           ⠂           ⠂           ⠂           ⠂
         ⠂           ⠂           ⠂           ⠂           ⠂
         ⠂           ⠂           ⠂2 2.9 km↓  ⠂        zoe 18180 km↘
         ⠂           ⠂           ⠂           ⠂           ⠂
        """)
  }

  /// Draws with a fresh renderer, so that no picture depends on another.
  private func picture(
    _ viewport: Viewport, people: [MapMarker] = [], glyphs: GlyphSet = .braille
  ) -> String {
    MapRenderer(width: DemoPeople.width).frame(
      viewport, markers: people, options: MapOptions(glyphs: glyphs)
    ).text
  }
}
