using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>The index in memory and the file of packed copies that belongs to it.</summary>
internal sealed record IndexView(IndexContents Contents, IFile Packed)
{
    public RecentEvents Recent { get; } = new();
}
