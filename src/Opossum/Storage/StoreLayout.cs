using System.Globalization;
using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>Every name and format number of a store on disk; the twin of docs/storage-format.md.</summary>
internal sealed class StoreLayout(string root)
{
    /// <summary>Written to store.json. A store of a higher format is refused.</summary>
    public const int Format = 1;

    /// <summary>The minor format. A higher one adds members that a reader may pass over.</summary>
    public const int FormatMinor = 0;

    /// <summary>Written to the headers of the index files. Files of another format are built again from the event files.</summary>
    public const uint IndexFormat = 1;

    /// <summary>How many positions a folder of event files spans.</summary>
    public const int ShardPositions = 10_000;

    /// <summary>The highest position: positions are held in 32 bits, and one more must still be a number.</summary>
    public const long PositionMax = int.MaxValue - 1;

    /// <summary>The longest frame of the index, and so a bound on the types and tags of one append; a longer one is refused.</summary>
    public const int FrameBytesMax = 64 * 1024 * 1024;

    /// <summary>The most JSON of one append, in bytes: its files are made in one buffer.</summary>
    public const int AppendBytesMax = 256 * 1024 * 1024;

    /// <summary>More than the packed copy of any event can have: an append's bytes of JSON and a frame's of tag numbers are fewer together.</summary>
    public const int PackedCopyBytesMax = 512 * 1024 * 1024;

    /// <summary>The locked byte of the lock file.</summary>
    public const long LockOffset = LockByte.Offset;

    public const string StoreFileName = "store.json";
    public const string StoreFileStagingName = "store.json.new";
    public const string LockFileName = ".store.lock";
    public const string EventsFolderName = "Events";
    public const string IndexFolderName = "Index";
    public const string QuarantineFolderName = "Quarantine";
    public const string ProjectionsFolderName = "Projections";
    public const string EventFileEnding = ".json";

    /// <summary>What an event file's name ends with while a repair writes the one that takes its place, and when it is taken back on a share.</summary>
    public const string StagingEnding = ".new";

    /// <summary>What a bad event file's name ends with in Quarantine, when the good one lies beside it.</summary>
    public const string BadEnding = ".bad";

    // Windows writes some of its own in several ways.
    private static readonly HashSet<string> harmlessNames = new(StringComparer.OrdinalIgnoreCase)
    {
        "desktop.ini", "Thumbs.db", ".DS_Store", "lost+found",
        "$RECYCLE.BIN", "System Volume Information",
        ".Trashes", ".fseventsd", ".Spotlight-V100", ".TemporaryItems", ".DocumentRevisions-V100",
    };

    private const int PositionDigits = 10;
    private const int GuidDigits = 32;
    private const int EventFileNameLength = 15; // 0000000001.json

    private readonly char separator = FilePath.SeparatorOf(root);

    public string Root { get; } = root;

    public string StoreFile { get; } = FilePath.Join(root, StoreFileName);

    public string StoreFileStaging { get; } = FilePath.Join(root, StoreFileStagingName);

    public string LockFile { get; } = FilePath.Join(root, LockFileName);

    public string Events { get; } = FilePath.Join(root, EventsFolderName);

    public string Index { get; } = FilePath.Join(root, IndexFolderName);

    /// <summary>Which types and tags at which positions, one frame a commit.</summary>
    public string IndexFile { get; } = FilePath.Join(root, IndexFolderName, "types-and-tags.idx");

    /// <summary>A packed copy of every event.</summary>
    public string PackedFile { get; } = FilePath.Join(root, IndexFolderName, "events.dat");

    public string Quarantine { get; } = FilePath.Join(root, QuarantineFolderName);

    /// <summary>A folder for each projection; see ProjectionLayout.</summary>
    public string Projections { get; } = FilePath.Join(root, ProjectionsFolderName);

    /// <summary>The names that a store puts into its folder.</summary>
    public static bool IsOwnName(string name) => name is StoreFileName or StoreFileStagingName or LockFileName
        or EventsFolderName or IndexFolderName or QuarantineFolderName or ProjectionsFolderName;

    /// <summary>What systems leave in any folder, and in the root of a disk: no sign that the folder is somebody else's.</summary>
    public static bool IsHarmlessName(string name) => harmlessNames.Contains(name) || name.StartsWith(".Trash-", StringComparison.Ordinal);

    /// <summary>A name that neither a store nor a system leaves in a store's folder; null: there is none.</summary>
    public static string? FindForeignName(List<string> names) => names.Find(static name => !IsOwnName(name) && !IsHarmlessName(name));

    /// <summary>The first position of the folder that the position's file lies in.</summary>
    public static long ShardOf(long position) => position / ShardPositions * ShardPositions;

    public string ShardFolder(long shard) => FilePath.Join(Events, Digits(shard));

    public string EventFile(long position) => string.Create(CultureInfo.InvariantCulture,
        $"{Events}{separator}{ShardOf(position):D10}{separator}{position:D10}{EventFileEnding}");

    public string EventFileStaging(long position) => EventFile(position) + StagingEnding;

    /// <summary>A name that nobody else uses, for the file of a position whose append has failed, until it is deleted.</summary>
    public string NewTakenBackFile(long position) => $"{EventFile(position)}.{Guid.NewGuid():N}{StagingEnding}";

    /// <summary>Whether a file has such a name.</summary>
    public static bool IsTakenBackFile(string name) =>
        name.Length == EventFileNameLength + 1 + GuidDigits + StagingEnding.Length
        && TryParseEventFileName(name[..EventFileNameLength], out _)
        && name[EventFileNameLength] == '.'
        && Guid.TryParseExact(name.AsSpan(EventFileNameLength + 1, GuidDigits), "N", out _)
        && name.EndsWith(StagingEnding, StringComparison.Ordinal);

    public static string EventFileName(long position) => Digits(position) + EventFileEnding;

    public static bool TryParseShard(string name, out long shard) => TryParseDigits(name, out shard) && shard % ShardPositions == 0;

    public static bool TryParseEventFileName(string name, out long position)
    {
        position = 0;
        return name.EndsWith(EventFileEnding, StringComparison.Ordinal)
            && TryParseDigits(name.AsSpan(0, name.Length - EventFileEnding.Length), out position)
            && position > 0;
    }

    private static string Digits(long number) => number.ToString("D10", CultureInfo.InvariantCulture);

    private static bool TryParseDigits(ReadOnlySpan<char> text, out long number)
    {
        number = 0;
        return text.Length == PositionDigits && !text.ContainsAnyExceptInRange('0', '9')
            && long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
    }
}
