using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>A flush without which nothing was found lost.</summary>
internal sealed record UnseenFlush(OperationKind Operation, string Places, VolumeKind[] Kinds, string Reason)
{
    private const string Everywhere = "*";

    private static readonly VolumeKind[] allButSmb = [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Nfs, VolumeKind.Fuse];
    private static readonly VolumeKind[] ordered = [VolumeKind.Ext4, VolumeKind.Btrfs];
    private static readonly VolumeKind[] withFolders = [VolumeKind.Posix, VolumeKind.Fuse];

    public static readonly UnseenFlush[] All =
    [
        new(OperationKind.FlushFolder, Everywhere, [VolumeKind.Smb, VolumeKind.Nfs], "On shares it does nothing."),
        new(OperationKind.FlushFolder, Everywhere, [VolumeKind.Ext4],
            "The flush of a file covers all names before it, and the journal keeps the order of removals and names."),
        new(OperationKind.FlushFolder, "Events Events/#.new . / /shop Rules Log Keys Proof Proof/tile Projections Projections/counts/live.# "
            + "Projections/counts/rebuild.# Projections/counts/requests Projections/customers Projections/customers/requests Quarantine "
            + "Quarantine/# Reactions Reactions/mails/parked Reactions/recording Reactions/recording/due Reactions/recording/live.# "
            + "Reactions/recording/new.# Reactions/recording/parked Reactions/recording/skipped /witness "
            + "/safe /safe/backup /safe/backup/Events /safe/backup/Events/# /safe/backup/Events/#.new /safe/backup/Keys "
            + "/new /new/store /new/store/Events /new/store/Events.new /new/store/Events.new/# /new/store/Events.new/#.new /new/store/Keys "
            + "/new/store/Reactions /new/store/Reactions/mails /new/store/Reactions/mails/live.#", [VolumeKind.Btrfs],
            "The flush of a file in it covers the folder's name."),
        new(OperationKind.FlushFolder, "Events/#.new /new/store/Events /new/store/Events.new /new/store/Events.new/# /new/store/Events.new/#.new "
            + "/new/store/Events/#", withFolders, "The flush of the same folder under its other name covers it, before anything relies on it."),
        new(OperationKind.FlushFolder, "Projections/counts/requests", withFolders, "A request that comes back is carried out again."),
        new(OperationKind.Flush, "Rules/#.json Events/#.jsonl Keys/customer%#ac#.forgetting Keys/customer%#a%#e#.json Proof/checkpoint "
            + "Projections/customers/requests/#.json Reactions/mails/parked/#.json Reactions/recording/due/#-#-#-#.json "
            + "Reactions/recording/new.#/checkpoint.#.a.json "
            + "Reactions/recording/parked/#.json Reactions/recording/skipped/#.json personal.json redaction.json /safe/backup/store.json "
            + "/new/store/personal.json /new/store/store.json /new/store/Reactions/mails/live.#/copied.json /new/store/Events.new/#/#.json /new/store/Events/#/#.json "
            + "/witness/#-#.checkpoint", allButSmb,
            "Its bytes were flushed before the move, and the flush of the folder covers its name. On Nfs names are durable at once."),
        new(OperationKind.Flush, "Keys/customer%#ac#.forgetting", [VolumeKind.Smb],
            "Calling again finishes a forgetting without it: it appends the event that is missing."),
        new(OperationKind.Flush, "/safe/backup/Events/#/#.json", allButSmb,
            "As for Events/#.jsonl; a reader of a backup flushes what is durable."),
        new(OperationKind.Flush, "/safe/snapshots/snapshot.new/Events/#/#.json /safe/snapshots/snapshot.new/store.json", allButSmb,
            "As for a backup; the flush after the snapshot's move covers its name."),
        new(OperationKind.Flush, "/safe/snapshots/snapshot.new/Events/#.new/#.json", ordered, "The flush after the moves covers it."),
        new(OperationKind.Flush, "/safe/snapshots/snapshot.new/store.json.new", VolumeKinds.All, "The flush after the move covers it."),
        new(OperationKind.FlushFolder, "/safe/snapshots/snapshot.new/Events/# /safe/snapshots/snapshot.new/Events/#.new "
            + "/safe/snapshots/#-#-#T#-#-#Z /safe/snapshots/#-#-#T#-#-#Z.removed", withFolders,
            "The flush of the same folder under its other name covers it, and that of the folder above its name."),
        new(OperationKind.Flush, "/safe/backup/Keys/customer%#ac#.json /safe/backup/Keys/customer%#a%#e#.json", [VolumeKind.Btrfs],
            "The flush of the whole with the events, which follow, covers it."),
        new(OperationKind.Flush, "/safe/snapshots/#-#-#T#-#-#Z/store.json /safe/snapshots/#-#-#T#-#-#Z.removed/store.json", allButSmb,
            "The flush of the folder covers the new name; a journal keeps it before the removals. On Nfs names are durable at once."),
        new(OperationKind.FlushFolder, "/safe/snapshots /safe/snapshots/snapshot.new /safe/snapshots/snapshot.new/Events "
            + "/safe/snapshots/snapshot.new/Events/# /safe/snapshots/snapshot.new/Events/#.new /safe/snapshots/#-#-#T#-#-#Z "
            + "/safe/snapshots/#-#-#T#-#-#Z.removed", [VolumeKind.Btrfs], "The flush of a file in it covers the folder's name."),
        new(OperationKind.Flush, "/other/replica/Events/#/#.json /other/replica/Events/#.jsonl /other/replica/store.json /other/replica/replica.json",
            allButSmb, "As for a backup: its bytes were flushed before the move, and a replica without its name is a shorter one."),
        new(OperationKind.Flush, "/other/replica/Events/#.new/#.json", ordered, "The flush after the moves covers it."),
        new(OperationKind.Flush, "/other/replica/replica.json.new", VolumeKinds.All, "The flush after the move covers it."),
        new(OperationKind.FlushFolder, "/other /other/replica /other/replica/Events/# /other/replica/Events/#.new", [VolumeKind.Btrfs],
            "The flush of a file in it covers the folder's name."),
        new(OperationKind.FlushFolder, "/other/replica/Index /other/replica/Log", [VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Fuse],
            "What is derived is made again."),
        new(OperationKind.Flush, "/other/replica/Index/types-and-tags.idx /other/replica/Index/#.run.new /other/replica/Log/#.jsonl", VolumeKinds.All,
            "What is derived is made again."),
        new(OperationKind.FlushRange, "/other/replica/Index/types-and-tags.idx /other/replica/Log/#.jsonl", VolumeKinds.All,
            "What is derived is made again."),
        new(OperationKind.Flush, "Events/#.new/#.json", [VolumeKind.Ext4], "The flush after the move covers it."),
        new(OperationKind.Flush, "/new/store/Events.new/#.new/#.json /safe/backup/Events/#.new/#.json", ordered,
            "The flush after the moves covers it."),
        new(OperationKind.FlushRange, "/new/store/Events.new/#.new/#.json", [VolumeKind.Ext4], "The flush of the whole at the end covers it."),
        new(OperationKind.Flush, "Keys/customer%#ac#.forgetting.new Keys/customer%#ac#.json.new Keys/customer%#a%#e#.json.new "
            + "/safe/backup/Keys/customer%#ac#.json.new Projections/customers/requests/#.json.new Quarantine/#/#.json.new Reactions/mails/parked/#.json.new "
            + "Reactions/recording/due/#-#-#-#.json.new Reactions/recording/live.#/checkpoint.#.b.json.new "
            + "Rules/#.json.new Reactions/recording/new.#/checkpoint.#.a.json.new Reactions/recording/parked/#.json.new Reactions/recording/skipped/#.json.new "
            + "personal.json.new /new/store/personal.json.new /new/store/Reactions/mails/live.#/copied.json.new", VolumeKinds.All,
            "The flush after the move covers it, before anything relies on it."),
        new(OperationKind.Flush, "Schemas/customer-registered.v#.json Schemas/customer-registered.v#.json.new "
            + "/new/store/Schemas/customer-registered.v#.json /new/store/Schemas/customer-registered.v#.json.new "
            + "/safe/backup/Schemas/customer-registered.v#.json /safe/backup/Schemas/customer-registered.v#.json.new",
            VolumeKinds.All, "A schema that is lost or cut off is written again."),
        new(OperationKind.FlushFolder, "Schemas /new/store/Schemas /safe/backup/Schemas",
            [VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Fuse], "A schema that is lost is written again."),
        new(OperationKind.Flush, "Quarantine/#/#.json.bad", allButSmb, "What is set aside in the scenarios was durable before."),
        new(OperationKind.Flush, ".store.lock", [VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse],
            "Shares refuse a journal and appends without flushing: its note matters in a copy of a local store."),
        new(OperationKind.Flush, "store.json", VolumeKinds.All, "A store's file that is lost is made again."),
        new(OperationKind.Flush, "store.json.new", [VolumeKind.Ext4, VolumeKind.Fuse, VolumeKind.Smb, VolumeKind.Nfs],
            "The flush after the move covers it; a file that is lost all the same is made again with the id that the index carries."),
        new(OperationKind.Flush, "Projections/counts/.lock Reactions/recording/.lock",
            [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs],
            "In no scenario does a former leader live on after a server's power cut."),
        new(OperationKind.Flush, ".sealing.lock /other/replica/.sealing.lock /safe/snapshots/.snapshots.lock", [VolumeKind.Smb, VolumeKind.Nfs],
            "In no scenario does another machine take the same duty after a server's power cut."),
        new(OperationKind.Flush, "Projections/counts/live.#/checkpoint.#.json.new", VolumeKinds.All, "The flush after the move covers it."),
        new(OperationKind.Flush, "Projections/counts/live.#/model.json", VolumeKinds.All,
            "Its writer has flushed it; it is there for one that was killed before."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/checkpoint.#.json Projections/counts/rebuild.#/checkpoint.#.json.new", VolumeKinds.All,
            "A build that has lost it is begun again."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/model.json", allButSmb,
            "The flush before the move and the folder's cover it, or the journal's order."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/model.json.new", VolumeKinds.All, "The flush after the move covers it."),
        new(OperationKind.Flush, "Projections/counts/live.#/staging.#.#.#/#", [VolumeKind.Btrfs], "The flush after the move covers it."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/staging.#.#.#/#", [VolumeKind.Smb, VolumeKind.Nfs],
            "The flush after the move covers it."),
        new(OperationKind.Flush, "Projections/counts/live.#/states/#/ Projections/counts/rebuild.#/states/#/", [VolumeKind.Nfs],
            "The server has made the name durable, and the flush before the move the bytes."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/tags.#.log", [VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse],
            "A build whose tags are lost is begun again."),
        new(OperationKind.FlushRange, "Projections/counts/rebuild.#/tags.#.log", [VolumeKind.Ext4], "As for the flush."),
    ];

    public static bool IsAny(FlushKind flush) => Array.Exists(All, each => each.Covers(flush));

    public bool Covers(FlushKind flush) => flush.Operation == Operation && Kinds.Contains(flush.Kind)
        && (Places == Everywhere || Places.Split(' ').Contains(flush.Place));
}
