using System.Globalization;
using Opossum.FileSystem;

namespace Opossum.Storage.Folders;

/// <summary>Every name and format number of a store on disk; docs/storage-format.md describes the same.</summary>
/// <param name="root">The store's folder.</param>
/// <param name="shardPositions">The number of positions in a folder of event files. Not an option: only tests use other folders.</param>
/// <param name="eventsFolder">The name of the folder of event files: another one only while a restore builds it.</param>
internal sealed class StoreLayout(string root, int shardPositions = StoreLayout.ShardPositionsDefault,
    string eventsFolder = StoreLayout.EventsFolderName)
{
    /// <summary>Written to store.json. A store with a higher format is refused.</summary>
    public const int Format = 1;

    /// <summary>The minor format. A higher one adds members that a reader may ignore.</summary>
    public const int FormatMinor = 0;

    /// <summary>Written to the headers of the index files. Files with another format are rebuilt from the event files.</summary>
    public const uint IndexFormat = 1;

    /// <summary>The same of an index with tags that rules give: its header names them.</summary>
    public const uint IndexFormatWithRules = 2;

    /// <summary>The number of positions in a folder of event files of every store of an app.</summary>
    public const int ShardPositionsDefault = 10_000;

    /// <summary>The highest position: positions are held in 32 bits, and one more than this must still fit.</summary>
    public const long PositionMax = int.MaxValue - 1;

    /// <summary>The longest frame of the index in bytes. It bounds the types and tags of one append; an append above it is refused.</summary>
    public const int FrameBytesMax = 64 * 1024 * 1024;

    /// <summary>The most JSON of one append, in bytes: all its files are written from one buffer.</summary>
    public const int AppendBytesMax = 256 * 1024 * 1024;

    /// <summary>The longest line of an event in bytes. An append with a longer one is refused.</summary>
    public const int LineBytesMax = 512 * 1024 * 1024;

    /// <summary>The locked byte of a file that is locked.</summary>
    public const long LockOffset = LockByte.Offset;

    public const string StoreFileName = "store.json";
    public const string StoreFileStagingName = "store.json.new";
    public const string ReplicaFileName = "replica.json";
    public const string ReplicaFileStagingName = "replica.json.new";
    public const string LockFileName = ".store.lock";
    public const string FilesLockFileName = ".files.lock";
    public const string SealingLockFileName = ".sealing.lock";
    public const string RunsLockFileName = ".runs.lock";
    public const string SnapshotsLockFileName = ".snapshots.lock";
    public const string RedactionFileName = "redaction.json";
    public const string RedactionFileStagingName = "redaction.json.new";
    public const string PersonalFileName = "personal.json";
    public const string PersonalFileStagingName = "personal.json.new";
    public const string EventsFolderName = "Events";
    public const string EventsFolderStagingName = "Events.new";
    public const string IndexFolderName = "Index";
    public const string QuarantineFolderName = "Quarantine";
    public const string ProjectionsFolderName = "Projections";
    public const string ReactionsFolderName = "Reactions";
    public const string ProofFolderName = "Proof";
    public const string KeysFolderName = "Keys";
    public const string LogFolderName = "Log";
    public const string RulesFolderName = "Rules";
    public const string SchemasFolderName = "Schemas";
    public const string EventFileEnding = ".json";
    public const string SealedFileEnding = ".jsonl";
    public const string RunFileEnding = ".run";

    /// <summary>
    /// The suffix of an event file's name while a repair writes its replacement, and when a failed append is taken back on a share.
    /// </summary>
    public const string StagingEnding = DurableFile.StagingEnding;

    /// <summary>The suffix of a checkpoint's name in the folder of a witness.</summary>
    public const string CheckpointEnding = ".checkpoint";

    /// <summary>The suffix of a file's name in Keys that says that forgetting a person has begun.</summary>
    public const string ForgettingEnding = ".forgetting";

    /// <summary>The suffix of a bad event file's name in Quarantine when the good one is in the same folder.</summary>
    public const string BadEnding = ".bad";

    /// <summary>The suffix in Quarantine of an event file that lay beside a sealed file with another event.</summary>
    public const string OtherEnding = ".other";

    // Ignores case: Windows spells some of its own names in several ways.
    private static readonly HashSet<string> harmlessNames = new(StringComparer.OrdinalIgnoreCase)
    {
        "desktop.ini", "Thumbs.db", ".DS_Store", "lost+found",
        "$RECYCLE.BIN", "System Volume Information",
        ".Trashes", ".fseventsd", ".Spotlight-V100", ".TemporaryItems", ".DocumentRevisions-V100",
    };

    private const int PositionDigits = 10;
    private const int GuidDigits = 32;
    private const int EventFileNameLength = 15; // 0000000001.json
    private const int SealedFileNameLength = 16; // 0000010000.jsonl

    private readonly char separator = FilePath.SeparatorOf(root);

    public string Root { get; } = root;

    /// <summary>The number of positions in a folder of event files.</summary>
    public int ShardPositions { get; } = shardPositions;

    /// <summary>The layout of every app's stores.</summary>
    public static implicit operator StoreLayout(string root) => new(root);

    /// <summary>The layout of a copy of the store in another folder.</summary>
    public StoreLayout At(string otherRoot) => new(otherRoot, ShardPositions);

    public string StoreFile { get; } = FilePath.Join(root, StoreFileName);

    public string StoreFileStaging { get; } = FilePath.Join(root, StoreFileStagingName);

    /// <summary>Says that the folder follows another one, or that another one was promoted in its place.</summary>
    public string ReplicaFile { get; } = FilePath.Join(root, ReplicaFileName);

    public string LockFile { get; } = FilePath.Join(root, LockFileName);

    /// <summary>Locked by a process while it writes or flushes event files without holding the store's lock.</summary>
    public string FilesLockFile { get; } = FilePath.Join(root, FilesLockFileName);

    /// <summary>Locked by a process while it seals or unseals folders of event files, or repairs the store.</summary>
    public string SealingLockFile { get; } = FilePath.Join(root, SealingLockFileName);

    /// <summary>Locked by a process while it makes runs of the index.</summary>
    public string RunsLockFile { get; } = FilePath.Join(root, RunsLockFileName);

    /// <summary>Locked by a process while it makes or removes snapshots, in a folder of them.</summary>
    public string SnapshotsLockFile { get; } = FilePath.Join(root, SnapshotsLockFileName);

    /// <summary>What a redaction that has begun and not ended redacts.</summary>
    public string RedactionFile { get; } = FilePath.Join(root, RedactionFileName);

    /// <summary>Says that the store has encrypted values, and which store key they need.</summary>
    public string PersonalFile { get; } = FilePath.Join(root, PersonalFileName);

    public string Events { get; } = FilePath.Join(root, eventsFolder);

    public string Index { get; } = FilePath.Join(root, IndexFolderName);

    /// <summary>The types and tags of every position, one frame per commit.</summary>
    public string IndexFile { get; } = FilePath.Join(root, IndexFolderName, "types-and-tags.idx");

    /// <summary>Another index file while it is made, to take the name of the one in use.</summary>
    public string IndexFileStaging => IndexFile + StagingEnding;

    /// <summary>A file for each tag rule.</summary>
    public string Rules { get; } = FilePath.Join(root, RulesFolderName);

    /// <summary>A JSON Schema for each version of an event type; see SchemaFiles.</summary>
    public string Schemas { get; } = FilePath.Join(root, SchemasFolderName);

    /// <summary>The lines of events, in a segment for each folder of positions that is not sealed.</summary>
    public string Log { get; } = FilePath.Join(root, LogFolderName);

    /// <summary>The lines of a folder's events; those of a sealed folder are in <see cref="SealedFile"/>.</summary>
    public string Segment(long shard) => In(Log, shard, SealedFileEnding);

    /// <summary>A unique name for a run, used while it is written.</summary>
    public string NewRunFileStaging() => FilePath.Join(Index, $"{Guid.NewGuid():N}{RunFileEnding}{StagingEnding}");

    /// <summary>Whether a name is one that <see cref="NewRunFileStaging"/> makes.</summary>
    public static bool IsRunFileStaging(string name) =>
        name.Length == GuidDigits + RunFileEnding.Length + StagingEnding.Length
        && name.EndsWith(RunFileEnding + StagingEnding, StringComparison.Ordinal)
        && Guid.TryParseExact(name.AsSpan(0, GuidDigits), "N", out _);

    /// <summary>The index of a range of older positions.</summary>
    public string RunFile(long first, long last) => FilePath.Join(Index, $"{Digits(first)}-{Digits(last)}{RunFileEnding}");

    public string Quarantine { get; } = FilePath.Join(root, QuarantineFolderName);

    /// <summary>A folder for each projection; see ProjectionLayout.</summary>
    public string Projections { get; } = FilePath.Join(root, ProjectionsFolderName);

    /// <summary>A folder for each reaction; see ReactionLayout.</summary>
    public string Reactions { get; } = FilePath.Join(root, ReactionsFolderName);

    /// <summary>The keys of persons, unless an option puts them elsewhere, and the forgettings that have begun.</summary>
    public string Keys { get; } = FilePath.Join(root, KeysFolderName);

    /// <summary>The Merkle tree over the events, and the last checkpoint.</summary>
    public string Proof { get; } = FilePath.Join(root, ProofFolderName);

    /// <summary>The last checkpoint.</summary>
    public string ProofCheckpoint { get; } = FilePath.Join(root, ProofFolderName, "checkpoint");

    /// <summary>A file or a folder of the tree's tiles.</summary>
    public string ProofFile(ReadOnlySpan<string> names)
    {
        var path = FilePath.Join(Proof, "tile");
        foreach (var name in names)
            path = FilePath.Join(path, name);
        return path;
    }

    /// <summary>Whether a name in a store's folder is one of the store's own.</summary>
    public static bool IsOwnName(string name) => name is StoreFileName or StoreFileStagingName
        or ReplicaFileName or ReplicaFileStagingName or LockFileName or FilesLockFileName
        or SealingLockFileName or RunsLockFileName or RedactionFileName or RedactionFileStagingName
        or PersonalFileName or PersonalFileStagingName
        or EventsFolderName or IndexFolderName or QuarantineFolderName or ProjectionsFolderName or ProofFolderName
        or KeysFolderName or ReactionsFolderName or LogFolderName or RulesFolderName
        or SchemasFolderName;

    /// <summary>
    /// Whether operating systems leave the name in folders or at the root of a disk: it does not mean that something else uses the folder.
    /// </summary>
    public static bool IsHarmlessName(string name) => harmlessNames.Contains(name) || name.StartsWith(".Trash-", StringComparison.Ordinal)
        || IsOfOpenFile(name);

    /// <summary>The first name that belongs neither to a store nor to an operating system; null when there is none.</summary>
    public static string? FindForeignName(List<string> names) => names.Find(static name => !IsOwnName(name) && !IsHarmlessName(name));

    /// <summary>The number that names the folder of the position's file: its first position, or 0.</summary>
    public long ShardOf(long position) => position / ShardPositions * ShardPositions;

    /// <summary>The first position of a folder of event files.</summary>
    public static long FirstOf(long shard) => Math.Max(shard, 1);

    /// <summary>The last position of a folder of event files.</summary>
    public long LastOf(long shard) => shard + ShardPositions - 1;

    /// <summary>The number of positions of a folder of event files: one less in the first, as no event has position 0.</summary>
    public long CountOf(long shard) => LastOf(shard) - FirstOf(shard) + 1;

    public string ShardFolder(long shard) => In(Events, shard, "");

    /// <summary>The folder in which a backup keeps copies until they are durable and take their names.</summary>
    public string ShardFolderStaging(long shard) => ShardFolder(shard) + StagingEnding;

    /// <summary>The file that has the events of a folder once it is sealed.</summary>
    public string SealedFile(long shard) => In(Events, shard, SealedFileEnding);

    /// <summary>A unique name for that file, used while it is written.</summary>
    public string NewSealedFileStaging(long shard) => $"{SealedFile(shard)}.{Guid.NewGuid():N}{StagingEnding}";

    /// <summary>Whether a name is one that <see cref="NewSealedFileStaging"/> makes.</summary>
    public bool IsSealedFileStaging(string name) => name.Length > SealedFileNameLength
        && TryParseSealedFileName(name[..SealedFileNameLength], out _) && IsUniqueStaging(name.AsSpan(SealedFileNameLength));

    public string EventFile(long position)
    {
        Span<char> names = stackalloc char[2 * (1 + PositionDigits)];
        WriteName(ShardOf(position), names);
        WriteName(position, names[(1 + PositionDigits)..]);
        return string.Concat(Events, names, EventFileEnding);
    }

    /// <summary>Whether a name is that of an event file while a repair writes it.</summary>
    public static bool IsEventFileStaging(string name) =>
        name.EndsWith(StagingEnding, StringComparison.Ordinal) && TryParseEventFileName(name[..^StagingEnding.Length], out _);

    /// <summary>A unique name for the file of a failed append, used until the file is deleted.</summary>
    public string NewTakenBackFile(long position) => $"{EventFile(position)}.{Guid.NewGuid():N}{StagingEnding}";

    /// <summary>Whether a name is one that <see cref="NewTakenBackFile"/> makes.</summary>
    public static bool IsTakenBackFile(string name) =>
        name.Length > EventFileNameLength
        && TryParseEventFileName(name[..EventFileNameLength], out _)
        && IsUniqueStaging(name.AsSpan(EventFileNameLength));

    public static string EventFileName(long position) => Digits(position) + EventFileEnding;

    public bool TryParseShard(ReadOnlySpan<char> name, out long shard) => TryParseDigits(name, out shard) && shard % ShardPositions == 0;

    /// <summary>Whether a name is one that <see cref="SealedFile"/> makes.</summary>
    public bool TryParseSealedFileName(string name, out long shard)
    {
        shard = 0;
        return name.Length == SealedFileNameLength && name.EndsWith(SealedFileEnding, StringComparison.Ordinal)
            && TryParseShard(name.AsSpan(0, PositionDigits), out shard);
    }

    public bool TryParseShardStaging(string name, out long shard)
    {
        shard = 0;
        return name.EndsWith(StagingEnding, StringComparison.Ordinal) && TryParseShard(name.AsSpan(0, name.Length - StagingEnding.Length), out shard);
    }

    public static bool TryParseEventFileName(string name, out long position)
    {
        position = 0;
        return name.EndsWith(EventFileEnding, StringComparison.Ordinal)
            && TryParseDigits(name.AsSpan(0, name.Length - EventFileEnding.Length), out position)
            && position > 0;
    }

    /// <summary>Whether a name is one that <see cref="RunFile"/> makes.</summary>
    public static bool TryParseRunName(string name, out long first, out long last)
    {
        (first, last) = (0, 0);
        return name.Length == 2 * PositionDigits + 1 + RunFileEnding.Length
            && name.EndsWith(RunFileEnding, StringComparison.Ordinal)
            && name[PositionDigits] == '-'
            && TryParseDigits(name.AsSpan(0, PositionDigits), out first) && first is > 0 and <= PositionMax
            && TryParseDigits(name.AsSpan(PositionDigits + 1, PositionDigits), out last) && last >= first && last <= PositionMax;
    }

    // What was deleted or replaced while a process had it open: on NFS, with FUSE, and on Windows.
    private static bool IsOfOpenFile(string name) => name.StartsWith(".nfs", StringComparison.Ordinal)
        || name.StartsWith(".fuse_hidden", StringComparison.Ordinal)
        || IsUniqueStaging(name.AsSpan(Math.Max(0, name.Length - 1 - GuidDigits - StagingEnding.Length)));

    // What follows a name: a dot, an id and the suffix.
    private static bool IsUniqueStaging(ReadOnlySpan<char> rest) =>
        rest.Length == 1 + GuidDigits + StagingEnding.Length
        && rest[0] == '.'
        && Guid.TryParseExact(rest.Slice(1, GuidDigits), "N", out _)
        && rest.EndsWith(StagingEnding);

    // An append needs several paths, and each of its strings is memory.
    private string In(string folder, long number, string ending)
    {
        Span<char> name = stackalloc char[1 + PositionDigits];
        WriteName(number, name);
        return string.Concat(folder, name, ending);
    }

    private void WriteName(long number, Span<char> name)
    {
        name[0] = separator;
        number.TryFormat(name[1..], out _, "D10", CultureInfo.InvariantCulture);
    }

    private static string Digits(long number) => number.ToString("D10", CultureInfo.InvariantCulture);

    private static bool TryParseDigits(ReadOnlySpan<char> text, out long number)
    {
        number = 0;
        return text.Length == PositionDigits && !text.ContainsAnyExceptInRange('0', '9')
            && long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
    }
}
