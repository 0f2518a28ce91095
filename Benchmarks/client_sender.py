"""Sends or prepares pushes with aioapns or PyAPNs2 and prints the cost, for Benchmarks/client-libraries.
client_sender.py aioapns|pyapns2 send|list GATEWAY.JSON TOKENS-FILE APP COUNT"""
import asyncio
import collections
import collections.abc
import json
import os
import pathlib
import resource
import ssl
import sys
import time

library, mode, gateway_file, tokens_file, app, count = sys.argv[1:]
gateway, count = json.loads(pathlib.Path(gateway_file).read_text()), int(count)
tokens = pathlib.Path(tokens_file).read_text().split()


def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


def processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def body(number):
    return {"aps": {"alert": {"title": "News", "body": f"Fresh fish, number {number}"}, "sound": "default", "badge": 1}}


def report(begun, cpu, baseline, peak, failed):
    print(json.dumps({"count": count, "failed": failed, "seconds": time.monotonic() - begun,
                      "cpu": processor() - cpu, "bytes": max(0, peak - baseline)}))


async def with_aioapns():
    import aioapns
    import aioapns.connection

    protocol = aioapns.connection.APNsDevelopmentClientProtocol
    protocol.APNS_SERVER, protocol.APNS_PORT = gateway["host"], gateway["ports"]["provider"]
    client = aioapns.APNs(
        key=pathlib.Path(gateway["keyFile"]).read_text(), key_id=gateway["keyID"], team_id=gateway["teamID"], topic=app,
        use_sandbox=True, ssl_context=ssl.create_default_context(cafile=gateway["caFile"]))

    def request(number):
        return aioapns.NotificationRequest(device_token=tokens[number % len(tokens)], message=body(number), time_to_live=0,
                                           push_type=aioapns.PushType.ALERT)

    baseline = resident()
    failed = 0 if (await client.send_notification(request(0))).is_successful else 1
    cpu, begun, peak = processor(), time.monotonic(), baseline
    if mode == "list":
        # Measure the memory of a sender that submits every push at once: one task per push, which waits for its turn.
        tasks = [asyncio.create_task(client.send_notification(request(number))) for number in range(count)]
        peak = resident()
        for task in tasks:
            task.cancel()
    else:
        # Use the same concurrency as Belfry's own client, because the library immediately sends every push that it
        # receives.
        room = asyncio.Semaphore(int(os.environ.get("AT_A_TIME", "100")))

        async def send(number):
            nonlocal failed
            answer = await client.send_notification(request(number))
            room.release()
            failed += not answer.is_successful

        tasks = set()
        for number in range(count):
            await room.acquire()
            task = asyncio.create_task(send(number))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            if number % 10_000 == 0:
                peak = max(peak, resident())
        await asyncio.gather(*tasks)
        peak = max(peak, resident())
    report(begun, cpu, baseline, peak, failed)
    sys.stdout.flush()

    os._exit(0)


def with_pyapns2():
    # PyAPNs2 was written for Python 3.9 and earlier, which had these names in collections.
    for name in ("Iterable", "Mapping", "MutableMapping", "MutableSet", "Callable"):
        setattr(collections, name, getattr(collections.abc, name))
    import warnings
    warnings.simplefilter("ignore")
    import apns2.client
    import apns2.credentials
    import apns2.payload
    from hyper import HTTP20Connection

    class Credentials(apns2.credentials.TokenCredentials):
        def create_connection(self, server, port, proto, proxy_host=None, proxy_port=None):
            context = ssl.create_default_context(cafile=gateway["caFile"])
            context.set_alpn_protocols(["h2"])
            return HTTP20Connection(gateway["host"], gateway["ports"]["provider"], ssl_context=context, force_proto="h2",
                                    secure=True)

    client = apns2.client.APNsClient(Credentials(gateway["keyFile"], gateway["keyID"], gateway["teamID"]))

    def notification(number):
        alert = apns2.payload.PayloadAlert(title="News", body=f"Fresh fish, number {number}")
        return apns2.client.Notification(
            tokens[number % len(tokens)], apns2.payload.Payload(alert=alert, sound="default", badge=1))

    baseline = resident()
    first = client.send_notification_batch([notification(0)], topic=app, expiration=0)
    failed = sum(answer != "Success" for answer in first.values())
    cpu, begun, peak = processor(), time.monotonic(), baseline
    if mode == "list":
        notifications = [notification(number) for number in range(count)]
        peak = resident()
        failed += len(notifications) != count
    else:
        answers = client.send_notification_batch((notification(number) for number in range(count)), topic=app, expiration=0)
        failed += sum(answer != "Success" for answer in answers.values())
        peak = resident()
    report(begun, cpu, baseline, peak, failed)


asyncio.run(with_aioapns()) if library == "aioapns" else with_pyapns2()
