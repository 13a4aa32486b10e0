using System.Collections.Concurrent;
using System.Globalization;
using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>The events that a version of a projection passes over because somebody said so: a file each, for good.</summary>
internal sealed class Skips
{
    private readonly IFileSystem fileSystem;
    private readonly ProjectionLayout layout;
    private readonly int version;
    private readonly ConcurrentDictionary<long, bool> positions = new();

    public Skips(IFileSystem fileSystem, ProjectionLayout layout, int version)
    {
        this.fileSystem = fileSystem;
        this.layout = layout;
        this.version = version;
        if (fileSystem.GetKind(layout.Skipped) != EntryKind.Folder)
            return;
        foreach (var name in fileSystem.List(layout.Skipped))
        {
            if (ProjectionLayout.TryParseSkip(name, out var ofVersion, out var position) && ofVersion == version)
                positions.TryAdd(position, true);
        }
    }

    public bool Contains(long position) => !positions.IsEmpty && positions.ContainsKey(position);

    public void Add(ProjectionFault fault, string reason, DateTimeOffset at)
    {
        fileSystem.CreateFolder(layout.Skipped);
        fileSystem.FlushFolder(layout.Root);
        ProjectionFile.Write(fileSystem, layout.SkipFile(version, fault.Position), json =>
        {
            json.WriteNumber("version"u8, version);
            json.WriteNumber("position"u8, fault.Position);
            json.WriteString("eventType"u8, fault.EventType);
            json.WriteString("reason"u8, reason);
            json.WriteString("error"u8, fault.Error);
            json.WriteString("at"u8, at.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
        });
        positions.TryAdd(fault.Position, true);
    }
}
