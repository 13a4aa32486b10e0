using System.Security.Cryptography;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Proof;

/// <summary>Witnesses and checkpoints that are not as they should be: each is named, and nothing is lost.</summary>
public sealed class WitnessTests : IDisposable
{
    private const string Witness = "/witness";

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);
    private readonly ProofKey key = ProofKey.Create("shop.example");

    public void Dispose()
    {
        place.Dispose();
        key.Dispose();
    }

    [Theory]
    [InlineData("public")]
    [InlineData("name")]
    public void A_text_that_is_no_private_key_is_refused(string what)
    {
        using var other = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var text = what == "name" ? "Name: shop.example" : $"Name: shop.example\n{other.ExportSubjectPublicKeyInfoPem()}\n";

        Assert.Throws<FormatException>(() => ProofKey.FromPem(text));
    }

    [Theory]
    [InlineData(nameof(FileError.DiskFull))]
    [InlineData(nameof(FileError.ReadOnly))]
    [InlineData(nameof(FileError.AccessDenied))]
    public async Task A_witness_that_cannot_be_written_keeps_its_last_checkpoint_and_is_named(string error)
    {
        place.CreateFolder(Witness);
        await AppendAsync();
        Write();
        var before = place.Snapshot(Witness);
        await AppendAsync();
        place.Disk!.Fail(new Fault
        {
            When = static each => each.Changes && each.Path.StartsWith(Witness, StringComparison.Ordinal),
            Error = Enum.Parse<FileError>(error),
            Lasts = true,
        });

        var result = Write();

        Assert.Equal(2, result.Checkpoint.Position);
        Assert.Contains(Witness, Assert.Single(result.WitnessProblems), StringComparison.Ordinal);
        Assert.Equal(before, place.Snapshot(Witness));
        place.Disk.Mend();
        Assert.Empty(Write().WitnessProblems);
        Assert.Equal(2, Checkpoints().Count);
    }

    [Theory]
    [InlineData("Write", true)]
    [InlineData("Flush", true)]
    [InlineData("Move", true)]
    [InlineData("Write", false)]
    [InlineData("Flush", false)]
    [InlineData("Move", false)]
    public async Task A_checkpoint_that_cannot_be_written_to_its_end_leaves_no_part_of_it(string kind, bool isInWitness)
    {
        place.CreateFolder(Witness);
        await AppendAsync();
        var (failing, folder) = (Enum.Parse<OperationKind>(kind), isInWitness ? Witness : place.Layout.Proof);
        place.Disk!.Fail(new Fault
        {
            When = each => each.Kind == failing && each.Path.StartsWith(folder, StringComparison.Ordinal),
            Error = FileError.DiskFull,
            Lasts = true,
        });

        if (isInWitness)
            Assert.Single(Write().WitnessProblems);
        else
            Assert.Throws<StoreOpenException>(() => Write());

        place.Disk.Mend();
        Assert.DoesNotContain(place.Snapshot(folder), static file => file.Value is not null);
        Assert.Empty(Write().WitnessProblems);
    }

    [Fact]
    public async Task Two_stores_may_have_one_witness()
    {
        place.CreateFolder(Witness);
        await AppendAsync();
        Write();
        var foreign = await OfAnotherStoreAsync();
        place.Put($"{Witness}/{foreign.StoreId:D}-0000000009.checkpoint", System.Text.Encoding.UTF8.GetBytes(foreign.Text));

        Assert.Empty(Write().WitnessProblems);
    }

    [Fact]
    public async Task A_checkpoint_of_another_store_in_the_place_of_the_own_one_is_refused_and_kept()
    {
        await AppendAsync();
        var foreign = System.Text.Encoding.UTF8.GetBytes((await OfAnotherStoreAsync()).Text);
        place.CreateFolder(place.Layout.Proof);
        place.Put(place.Layout.ProofCheckpoint, foreign);

        Assert.Contains("is the checkpoint of another store", Assert.Throws<StoreMaintenanceException>(() => Write()).Message, StringComparison.Ordinal);
        Assert.Equal(foreign, place.Bytes(place.Layout.ProofCheckpoint));
    }

    [Fact]
    public async Task A_checkpoint_is_not_that_of_another_key()
    {
        await AppendAsync();
        place.CreateFolder(Witness);
        var text = Write().Checkpoint.Text;
        using var other = ProofKey.Create("shop.example");

        Assert.Equal(1, ProofCheckpoint.Parse(text, key.Verifier).Position);
        Assert.Throws<FormatException>(() => ProofCheckpoint.Parse(text, other.Verifier));
        Assert.Throws<FormatException>(() => ProofCheckpoint.Parse(text.Replace("\n1\n", "\n2\n", StringComparison.Ordinal), key.Verifier));
    }

    private async Task AppendAsync()
    {
        await place.Open().AppendAsync([New("counted")]);
        place.CloseStores();
    }

    private async Task<ProofCheckpoint> OfAnotherStoreAsync()
    {
        using var other = StorePlace.On(VolumeKind.Ext4);
        await other.Open().AppendAsync([New("counted")]);
        other.CloseStores();
        using var files = other.Attach();
        return StoreProof.WriteCheckpoint(files, other.Layout, key, [], place.Clock, CancellationToken.None).Checkpoint;
    }

    private List<string> Checkpoints() =>
        [.. place.Snapshot(Witness).Keys.Where(static path => path.EndsWith(".checkpoint", StringComparison.Ordinal))];

    private ProofCheckpointResult Write()
    {
        using var files = place.Attach();
        return StoreProof.WriteCheckpoint(files, place.Layout, key, [Witness], place.Clock, CancellationToken.None);
    }
}
