using System.Collections.Concurrent;
using System.Globalization;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Projections.States;

/// <summary>The events that a version of a projection skips on request: one permanent file each.</summary>
internal sealed class Skips
{
    private readonly IFileSystem fileSystem;
    private readonly ProjectionLayout layout;
    private readonly int version;
    private readonly ConcurrentDictionary<long, Guid> events = new();

    /// <summary>Reads the skipped events.</summary>
    /// <param name="damaged">Receives damaged files. A damaged skip is ignored: the event fails again, and the failure is visible.</param>
    public Skips(IFileSystem fileSystem, ProjectionLayout layout, int version, Action<DamagedFileException> damaged)
    {
        this.fileSystem = fileSystem;
        this.layout = layout;
        this.version = version;
        foreach (var name in fileSystem.ListOwn(layout.Skipped))
        {
            if (!ProjectionLayout.TryParseSkip(name, out var ofVersion, out var position) || ofVersion != version)
                continue;
            try
            {
                if (CheckedFile.Read(fileSystem, FilePath.Join(layout.Skipped, name), members => (object)EventOf(members, position)) is Guid id)
                    events.TryAdd(position, id);
            }
            catch (DamagedFileException e)
            {
                damaged(e);
            }
        }
    }

    /// <summary>
    /// Whether an event is skipped: not another one that has its position since the store's end was cut off.
    /// </summary>
    public bool Contains(EventAt e) => !events.IsEmpty && events.TryGetValue(e.Position, out var id) && id == e.Id;

    /// <summary>Records durably that an event is skipped, and why.</summary>
    public void Add(FollowerHost host, LeaderRequest request, ProjectionFault fault)
    {
        var at = host.Clock.GetUtcNow();
        fileSystem.CreateOwnFolderDurably(layout.Skipped);
        host.WriteTexts(request.Head, keepsTexts => CheckedFile.Write(fileSystem, layout.SkipFile(version, fault.Position), json =>
        {
            json.WriteNumber("version"u8, version);
            json.WriteNumber("position"u8, fault.Position);
            json.WriteString("id"u8, fault.EventId);
            json.WriteString("eventType"u8, fault.EventType);
            json.WriteString("reason"u8, keepsTexts ? request.Reason : FollowerHost.NotKept);
            json.WriteString("error"u8, keepsTexts ? fault.Error : FollowerHost.NotKept);
            json.WriteString("at"u8, at.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
        }));
        events[fault.Position] = fault.EventId;
    }

    private Guid EventOf(JsonElement members, long position)
    {
        if (members.GetProperty("version").GetInt32() != version || CheckedFile.GetPosition(members, "position") != position)
            throw new FormatException("Its version and position do not match its name.");
        _ = CheckedFile.GetText(members, "reason");
        return members.GetProperty("id").GetGuid();
    }
}
