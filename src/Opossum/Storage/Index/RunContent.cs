using Opossum.FileSystem;

namespace Opossum.Storage.Index;

/// <summary>The pages of a run: in a file or, where a damaged run was made again and cannot be written, in memory.</summary>
/// <param name="file">The open file; null: the pages are in memory.</param>
internal sealed class RunContent(string path, IFile? file, RunPages? pages = null) : IDisposable
{
    public string Path => path;

    /// <summary>Reads a page; false when the file ends before it.</summary>
    public bool TryRead(int number, byte[] page) =>
        file is null ? pages!.TryRead(number, page) : file.Read(page, number * (long)RunPage.Length) == page.Length;

    /// <summary>
    /// Reads pages that follow each other, and returns the number of bytes: fewer where the file ends, none where the pages are in memory.
    /// </summary>
    public int Read(int number, Span<byte> target) => file?.Read(target, number * (long)RunPage.Length) ?? 0;

    /// <inheritdoc cref="IFile.Prefetch"/>
    public void Prefetch(int number, int count) => file?.Prefetch(number * (long)RunPage.Length, count * RunPage.Length);

    public void Dispose() => file?.Dispose();
}
