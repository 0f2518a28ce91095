import Testing

@testable import Gateway

@Suite struct ListenerListTests {
  @Test func `a device that listens twice is listed once`() {
    var list = ListenerList()
    let isNew = list.add(1)
    let isNewAgain = list.add(1)
    #expect(isNew && !isNewAgain)
    #expect(list.devices == [1])
  }
}
