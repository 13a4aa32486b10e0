namespace Opossum.SampleTests.CourseManagement;

/// <summary>Tests of the sample over an empty store.</summary>
public abstract class AppTests : IAsyncDisposable
{
    private protected AppTests() => App = new App(Folder);

    protected string Folder { get; } = Directory.CreateTempSubdirectory("opossum-").FullName;

    private protected App App { get; set; }

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        await App.DisposeAsync();
        Directory.Delete(Folder, recursive: true);
    }
}
