import Foundation
import Testing
import UserNotifications

@Suite struct TriggerTests {
  @Test
  func `An interval's next date is now and the interval, until it is scheduled`() throws {
    let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 100, repeats: false)
    let next = try #require(trigger.nextTriggerDate())
    #expect(abs(next.timeIntervalSinceNow - 100) < 5)
  }

  @Test
  func `A calendar trigger's next date is the first match`() throws {
    let trigger = UNCalendarNotificationTrigger(
      dateMatching: DateComponents(minute: 0, second: 0), repeats: true)
    let next = try #require(trigger.nextTriggerDate())
    #expect(next > Date())
    #expect(next.timeIntervalSinceNow <= 3_600)
  }

  @Test
  func `A date that does not exist is passed over, not moved to the first`() throws {
    let trigger = UNCalendarNotificationTrigger(
      dateMatching: DateComponents(day: 31), repeats: true)
    let next = try #require(trigger.nextTriggerDate())
    #expect(Calendar.current.component(.day, from: next) == 31)
  }

  @Test
  func `A past year never matches`() {
    let trigger = UNCalendarNotificationTrigger(
      dateMatching: DateComponents(year: 2001, month: 1, day: 1), repeats: false)
    #expect(trigger.nextTriggerDate() == nil)
  }

  @Test
  func `An interval of zero, or a repetition under a minute, is a trap as on Apple's systems`()
    async
  {
    await #expect(processExitsWith: .failure) {
      _ = UNTimeIntervalNotificationTrigger(timeInterval: 0, repeats: false)
    }
    await #expect(processExitsWith: .failure) {
      _ = UNTimeIntervalNotificationTrigger(timeInterval: 59, repeats: true)
    }
  }
}
