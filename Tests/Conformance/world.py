"""The fixtures that the vectors assume (apns-protocol 9.1), created on real gateways by real commands.

If a fixture can't be created, the reason is recorded. The cases that need the fixture fail with that reason, and the
others run."""
import datetime
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.oid import NameOID

from programs import Failure, Gateway
from provider_tokens import ProviderTokens, load_key, new_key

APP, OTHER, FOREIGN = "com.example.app", "com.example.other", "org.foreign.app"
MDM = "com.apple.mgmt.External.11111111-2222-3333-4444-555555555555"
TYPES = ["alert", "voip", "complication", "fileprovider", "liveactivity", "location", "pushtotalk",
         "widgets", "controls"]


class World:
    def __init__(self, belfry, folder):
        self.belfry, self.folder = belfry, pathlib.Path(folder)
        self.missing, self.values, self.certificates, self.keys = {}, {}, {}, {}
        self.gateways = {}
        self.gateways["sandbox"] = Gateway(belfry, self.folder, "sandbox")
        self.attempt("the production gateway", self.make_production)
        self.attempt("the teams", self.make_teams)
        self.make_keys()
        self.make_certificates()
        self.attempt("the devices", self.make_devices)
        self.attempt("CHANNEL_P0", lambda: self.make_channel("CHANNEL_P0", 0))
        self.attempt("CHANNEL_P1", lambda: self.make_channel("CHANNEL_P1", 1))
        self.attempt("CHANNEL_DELETED", self.make_deleted_channel)
        self.tokens = ProviderTokens(self.keys)

    @property
    def gateway(self):
        return self.gateways["sandbox"]

    def attempt(self, name, make):
        try:
            make()
        except (Failure, OSError, KeyError, ValueError) as failure:
            self.missing[name] = str(failure)

    def make_production(self):
        self.gateways["production"] = Gateway(
            self.belfry, self.folder, "production", "--environment", "production")

    def make_teams(self):
        gateway = self.gateway
        gateway.command("team", "add", "Team A", "--id", "TEAMAAAAAA")
        gateway.command("team", "add", "Team B", "--id", "TEAMBBBBBB")
        for app, options in ((APP, ["--broadcast", "on"]), (OTHER, []), (MDM, []),
                             ("com.example.nobroadcast", ["--broadcast", "off"])):
            gateway.command("topic", "add", app, "--team", "TEAMAAAAAA", *options)
        gateway.command("topic", "add", FOREIGN, "--team", "TEAMBBBBBB")

    def make_keys(self):
        sandbox, topic = ["--environment", "sandbox"], ["--topic", OTHER]
        for key, team, options in (
                ("KEYBOTH001", "TEAMAAAAAA", []),
                ("KEYTMSBX01", "TEAMAAAAAA", sandbox),
                ("KEYTMPRD01", "TEAMAAAAAA", ["--environment", "production"]),
                ("KEYTPSBX01", "TEAMAAAAAA", [*sandbox, "--topic", APP]),
                ("KEYTPSBX02", "TEAMAAAAAA", [*sandbox, *topic, "--related", "KEYTPSBX01"]),
                ("KEYTPSBX03", "TEAMAAAAAA", [*sandbox, *topic]),
                ("KEYFORGN01", "TEAMBBBBBB", [])):
            self.attempt(key, lambda: self.make_key(key, team, options))
        if "KEYTMSBX01" not in self.keys:
            # Without administration, the only key is the first team's, which is valid in both environments.
            ready = self.gateway.ready
            self.keys["KEYTMSBX01"] = (
                ready["keyID"], ready["teamID"], load_key(ready["keyFile"]))

    def make_key(self, key, team, options):
        file = self.folder / f"{key}.p8"
        self.gateway.command("key", "add", "--id", key, "--team", team, "--out", file, *options)
        self.keys[key] = (key, team, load_key(file))

    def make_certificates(self):
        for name, topic, options in (
                ("CERT_UNI", APP, ["--form", "universal"]),
                ("CERT_ONE", APP, ["--form", "uid"]),
                ("CERT_DEV", APP, ["--form", "uid", "--environment", "sandbox"]),
                ("CERT_PRD", APP, ["--form", "uid", "--environment", "production"]),
                ("CERT_MDM", MDM, ["--form", "uid"]),
                ("CERT_REVOKED", APP, ["--form", "uid"])):
            self.attempt(name, lambda: self.make_certificate(name, topic, options))
        self.attempt("CERT_UNI of production", self.make_production_certificate)
        self.certificates["CERT_BADCA"] = self.make_foreign_certificate()

    def make_certificate(self, name, topic, options):
        file = self.folder / f"{name}.pem"
        self.gateway.command(
            "certificate", "add", "--team", "TEAMAAAAAA", "--topic", topic, "--out", file, *options)
        if name == "CERT_REVOKED":
            serial = x509.load_pem_x509_certificate(file.read_bytes()).serial_number
            self.gateway.command("certificate", "revoke", f"{serial:X}")
        self.certificates[name] = file

    def make_production_certificate(self):
        gateway, file = self.gateways["production"], self.folder / "CERT_UNI-production.pem"
        gateway.command("topic", "add", APP, "--team", gateway.ready["teamID"])
        gateway.command(
            "certificate", "add", "--team", gateway.ready["teamID"], "--topic", APP,
            "--form", "universal", "--out", file)
        self.certificates["CERT_UNI of production"] = file

    def make_foreign_certificate(self):
        key, now = new_key(), datetime.datetime.now(datetime.timezone.utc)
        name = x509.Name([x509.NameAttribute(NameOID.USER_ID, APP)])
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256()))
        file = self.folder / "CERT_BADCA.pem"
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
        return file

    def make_devices(self):
        self.device = self.gateway.devices(
            self.folder, "device", f"{APP}:{','.join(TYPES)}", OTHER)
        for kind in TYPES:
            name = "TOK_A" if kind == "alert" else f"TOK_A_{kind.upper()}"
            self.values[name] = self.token(self.device, APP, kind)
        self.values["TOK_A_BACKGROUND"] = self.values["TOK_A"]
        self.values["TOK_LA"] = self.values["TOK_A_LIVEACTIVITY"]
        self.values["TOK_OTHER"] = self.token(self.device, OTHER, "alert")
        self.attempt("TOK_GONE", self.make_gone)
        self.attempt("TOK_MDM", lambda: self.make_token("TOK_MDM", "sandbox", MDM, "mdm"))
        self.attempt("TOK_FOREIGN", lambda: self.make_token(
            "TOK_FOREIGN", "sandbox", FOREIGN, "alert"))
        self.attempt("TOK_PROD", lambda: self.make_token("TOK_PROD", "production", APP, "alert"))

    def token(self, device, topic, kind):
        return device.event(
            "registered",
            lambda line: line["topic"] == topic and line.get("type", "alert") == kind)["token"]

    def make_token(self, name, environment, topic, kind):
        device = self.gateways[environment].devices(self.folder, name, f"{topic}:{kind}")
        self.values[name] = self.token(device, topic, kind)
        device.stop()

    def make_gone(self):
        device = self.gateway.devices(self.folder, "gone", APP)
        self.values["TOK_GONE"] = self.token(device, APP, "alert")
        device.tell(do="unregister", topic=APP)
        device.event("unregistered")
        device.stop()

    def make_channel(self, name, policy):
        printed = self.gateway.command("channel", "add", "--app", APP, "--storage", policy)
        self.values[name] = printed.split()[-1]

    def make_deleted_channel(self):
        self.make_channel("CHANNEL_DELETED", 0)
        self.gateway.command(
            "channel", "remove", self.values["CHANNEL_DELETED"], "--app", APP)

    def certificate(self, name, environment="sandbox"):
        if environment == "production":
            name += " of production"
        if name not in self.certificates:
            raise Failure(f"{name} was not created: {self.missing.get(name, 'unknown fixture')}")
        return self.certificates[name]

    def close(self):
        for gateway in self.gateways.values():
            gateway.program.stop()
