namespace Opossum.Benchmarks.Soak;

/// <summary>How the stores of a soak are opened.</summary>
/// <param name="UsesJournal">Whether they append with a journal.</param>
/// <param name="Seals">Whether they seal folders of older events in the background.</param>
internal sealed record SoakMode(bool UsesJournal, bool Seals)
{
    public OpossumOptions Options(string path) => new()
    {
        Path = path,
        UseJournal = UsesJournal,
        SealAllButNewestFolders = Seals ? 1 : null,
    };
}
