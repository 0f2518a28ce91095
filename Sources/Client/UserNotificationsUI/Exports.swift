@_exported public import UserNotifications
