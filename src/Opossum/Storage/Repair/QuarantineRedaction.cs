using System.Text;
using Opossum.FileSystem;
using Opossum.Proof;
using Opossum.Serialization;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Storage.Repair;

/// <summary>Redacts the copies of events that lie in Quarantine, whatever their position there.</summary>
internal sealed class QuarantineRedaction(IFileSystem fileSystem, EventFiles eventFiles, StoreLayout layout, RedactionPlan plan,
    IReadOnlyList<MemberPath> paths)
{
    private readonly HashSet<Guid> ids = [.. plan.Events.Select(static each => each.Id)];
    private readonly List<string> redacted = [];
    private readonly List<string> unread = [];

    /// <summary>The files that hold a redacted copy.</summary>
    public IReadOnlyList<string> Redacted => redacted;

    /// <summary>The files that may hold one of the events and could not be read as an event.</summary>
    public IReadOnlyList<string> Unread => unread;

    public void Run()
    {
        if (fileSystem.GetKind(layout.Quarantine) == EntryKind.Folder)
            RunIn(layout.Quarantine);
    }

    private void RunIn(string folder)
    {
        foreach (var name in fileSystem.List(folder).Order(StringComparer.Ordinal))
        {
            var path = FilePath.Join(folder, name);
            if (fileSystem.GetKind(path) == EntryKind.Folder && !fileSystem.IsLink(path))
                RunIn(path);
            else
                RedactFile(path, name);
        }
    }

    private void RedactFile(string path, string name)
    {
        byte[]? bytes;
        try
        {
            bytes = eventFiles.ReadBytes(path);
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            bytes = null;
        }
        if (bytes is null || ChecksumTrailer.Judge(bytes) is not null || EventFile.ReadLine(CanonicalText.Of(bytes), out _) is not { } stored)
        {
            if (bytes?.Length != 0 && MayHoldOne(name, bytes ?? []))
                unread.Add(path);
            return;
        }
        if (!ids.Contains(stored.Content.Id) || Redaction.Erased(stored, LeafSource.Of(bytes), plan.Redaction, paths) is not { } erased)
            return;
        DurableFile.Replace(fileSystem, path, EventFile.TextOf(erased));
        redacted.Add(path);
    }

    // By the position that its name begins with, or by an id in its text.
    private bool MayHoldOne(string name, byte[] bytes)
    {
        var length = StoreLayout.EventFileName(1).Length;
        return (name.Length >= length && StoreLayout.TryParseEventFileName(name[..length], out var position)
                && plan.Events.Any(each => each.Position == position))
            || ids.Any(id => bytes.AsSpan().IndexOf(Encoding.ASCII.GetBytes(id.ToString("D"))) >= 0);
    }
}
